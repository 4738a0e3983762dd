// The same as in the book: stage3_queue_crawler/first/queue.h
