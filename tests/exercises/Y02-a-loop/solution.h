// The same as in the book: stage3_queue_crawler/first/event_loop.h
