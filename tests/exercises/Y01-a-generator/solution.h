// The same as in the book: stage2_coroutines/small/generator.h
