// The same as in the book: stage3_queue_crawler/small/future.h
