// The same as in the book: stage3_queue_crawler/small/dead_links_main.cpp
