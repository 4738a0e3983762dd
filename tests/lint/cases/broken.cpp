#include "coroutine.h"

Task broken() { if (co_await Number(1) use(1);
}
