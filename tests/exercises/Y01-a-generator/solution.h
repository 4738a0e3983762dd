// The same as in the book: stage2_coroutines/first/generator.h
