// C++ exceptions for a module in a page. (Debian's libc++abi for WebAssembly comes
// without them.)
//
// Clang has two ways. WebAssembly's own exceptions are the newer, smaller and faster one,
// but clang 19 gets a `co_await` in a `try` in a loop wrong with them: miscompiled.cpp
// says what this clang does. So it's the older one, which is Emscripten's: each call that
// may throw is made by the page (`invoke_…` in module.js), which catches what is thrown
// and sets __THREW__. Then the program asks here which of its handlers fits.
//
// Sources: https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html for what has a name with
// __cxa; llvm/lib/Target/WebAssembly/WebAssemblyLowerEmscriptenEHSjLj.cpp for the rest.
// This file can't be compiled in that way itself: it may neither throw nor catch.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <typeinfo>
#include <utility>

namespace __cxxabiv1 {
class __cxa_exception;
}

namespace {

using Destroy = void* (*)(void*); // in WebAssembly, a destructor returns its argument

/// Stands before each thrown object.
struct alignas(16) Header {
    std::type_info* type;
    Destroy destroy;
    int references; // exception_ptrs, and throws under way or caught
};
Header& header_of(void* object) { return static_cast<Header*>(object)[-1]; }

/// A throw. An object can be thrown more than once, from an exception_ptr.
struct Throw {
    void* object;
    void* caught_as = nullptr; // the object, or its base that the handler names
    int handlers = 0;       // that it has entered and not left; negative: rethrown there
    Throw* below = nullptr; // caught before it
};
Throw* caught = nullptr;     // the last one
Throw* on_its_way = nullptr; // from the place where it's thrown to a handler
unsigned uncaught = 0;

/// A type, as the library sees it, which alone knows what is a base of what. (As in
/// libc++abi, where it is __shim_type_info: the order of its functions matters.)
struct Type : std::type_info {
    virtual void noop1() const;
    virtual void noop2() const;
    virtual bool can_catch(const Type* thrown, void*& object) const = 0;
};

} // namespace

extern "C" {

int __THREW__ = 0;
int __threwValue = 0;
static int second_result = 0; // a function has only one in WebAssembly
void setTempRet0(int value) { second_result = value; }
int getTempRet0() { return second_result; }

/// The page has caught what is on its way.
__attribute__((export_name("set_threw"))) void set_threw() { __THREW__ = 1; }
/// The page throws, which leaves all functions up to the next call that it has made.
__attribute__((import_module("env"), import_name("throw_it"), noreturn)) void throw_it();

[[noreturn]] static void send(Throw* one) {
    on_its_way = one;
    throw_it();
}
[[noreturn]] static void throw_object(void* object) {
    ++header_of(object).references;
    ++uncaught;
    send(new Throw{.object = object});
}

// ---- Which handler fits? ----

/// `types`: the handlers', from the innermost; nullptr is `catch (...)`. Returns what
/// `__cxa_begin_catch` is then given. The second result is the type that fits, or 0.
static void* find(std::initializer_list<const Type*> types) {
    Throw& thrown = *on_its_way;
    second_result = 0;
    thrown.caught_as = thrown.object;
    for (const Type* const type : types) {
        void* object = thrown.object;
        if (type == nullptr
            || type->can_catch(static_cast<const Type*>(header_of(thrown.object).type),
                               object)) {
            thrown.caught_as = object;
            second_result = static_cast<int>(reinterpret_cast<std::intptr_t>(type));
            break;
        }
    }
    return &thrown;
}
// The number is that of the handlers and 2.
void* __cxa_find_matching_catch_2() { return find({}); }
void* __cxa_find_matching_catch_3(const Type* a) { return find({a}); }
void* __cxa_find_matching_catch_4(const Type* a, const Type* b) { return find({a, b}); }
void* __cxa_find_matching_catch_5(const Type* a, const Type* b, const Type* c) {
    return find({a, b, c});
}
void* __cxa_find_matching_catch_6(const Type* a, const Type* b, const Type* c,
                                  const Type* d) {
    return find({a, b, c, d});
}
int llvm_eh_typeid_for(const Type* type) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(type));
}
/// None fits, and the scope has been cleaned up. (A destructor there may have thrown and
/// caught another.)
[[noreturn]] void __resumeException(void* one) { send(static_cast<Throw*>(one)); }

// ---- throw ----

void* __cxa_allocate_exception(std::size_t size) noexcept {
    const std::size_t all = (sizeof(Header) + size + 15) & ~std::size_t{15};
    auto* const header = static_cast<Header*>(std::aligned_alloc(16, all));
    if (header == nullptr)
        std::terminate();
    return header + 1;
}
void __cxa_free_exception(void* object) noexcept { std::free(&header_of(object)); }
__cxxabiv1::__cxa_exception* __cxa_init_primary_exception(void* object,
                                                          std::type_info* type,
                                                          Destroy destroy) noexcept {
    header_of(object) = {.type = type, .destroy = destroy, .references = 0};
    return nullptr; // nobody uses it
}
[[noreturn]] void __cxa_throw(void* object, std::type_info* type, Destroy destroy) {
    __cxa_init_primary_exception(object, type, destroy);
    throw_object(object);
}

// ---- std::exception_ptr ----

void __cxa_increment_exception_refcount(void* object) noexcept {
    if (object != nullptr)
        ++header_of(object).references;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
    if (object == nullptr || --header_of(object).references > 0)
        return;
    if (header_of(object).destroy != nullptr)
        header_of(object).destroy(object);
    __cxa_free_exception(object);
}
void* __cxa_current_primary_exception() noexcept {
    if (caught == nullptr)
        return nullptr;
    __cxa_increment_exception_refcount(caught->object);
    return caught->object;
}
void __cxa_rethrow_primary_exception(void* object) {
    if (object != nullptr)
        throw_object(object);
}

// ---- catch ----

void* __cxa_get_exception_ptr(void* one) noexcept {
    return static_cast<Throw*>(one)->caught_as;
}
void* __cxa_begin_catch(void* one) noexcept {
    auto* const thrown = static_cast<Throw*>(one);
    thrown->handlers = std::abs(thrown->handlers) + 1;
    if (thrown != caught)
        thrown->below = std::exchange(caught, thrown);
    --uncaught;
    return thrown->caught_as;
}
void __cxa_end_catch() {
    Throw* const thrown = caught;
    if (thrown->handlers < 0) { // it's on its way again
        if (++thrown->handlers == 0)
            caught = thrown->below;
    } else if (--thrown->handlers == 0) {
        caught = thrown->below;
        __cxa_decrement_exception_refcount(thrown->object);
        delete thrown;
    }
}
/// `throw;`
[[noreturn]] void __cxa_rethrow() {
    if (caught == nullptr)
        std::terminate();
    caught->handlers = -caught->handlers;
    ++uncaught;
    send(caught);
}

std::type_info* __cxa_current_exception_type() {
    return caught == nullptr ? nullptr : header_of(caught->object).type;
}
unsigned __cxa_uncaught_exceptions() noexcept { return uncaught; }
bool __cxa_uncaught_exception() noexcept { return uncaught > 0; }
/// The thread ends with the page.
int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept { return 0; }

} // extern "C"
