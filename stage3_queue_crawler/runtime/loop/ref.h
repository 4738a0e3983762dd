// Shared ownership within one thread.
//
// std::shared_ptr would do. But that has to work with many threads, and the loop has only
// one; a count that is a plain integer makes awaiting a future a third faster.
#pragma once

#include <concepts>
#include <utility>

namespace stage3 {

/// An object that counts the Refs to it.
class Counted {
  public:
    Counted() = default;
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    virtual ~Counted() = default;

  private:
    template <class>
    friend class Ref;
    int owners_ = 0;
};

// NOLINTBEGIN(cppcoreguidelines-special-member-functions): one operator= serves both
// NOLINTBEGIN(clang-analyzer-cplusplus.NewDelete): can't see that the count is right
/// Owns a `T` together with all other Refs to it. The last one to go destroys it.
template <class T>
class Ref {
  public:
    Ref() = default;
    /// To an object made with `new`, whether or not there are Refs to it already.
    explicit Ref(T* object) noexcept : object_(object) { own(); }
    Ref(const Ref& other) noexcept : object_(other.object_) { own(); }
    Ref(Ref&& other) noexcept : object_(other.release()) {}
    template <class U>
        requires std::convertible_to<U*, T*>
    Ref(Ref<U> other) noexcept // not explicit, as with pointers
        : object_(other.release()) {}
    Ref& operator=(Ref other) noexcept { // by value: a copy, or moved here
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_ != nullptr && --counted().owners_ == 0)
            delete object_;
    }

    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    bool is_only_one() const noexcept { return counted().owners_ == 1; }

  private:
    template <class>
    friend class Ref;
    Counted& counted() const noexcept { return *object_; }
    void own() noexcept {
        if (object_ != nullptr)
            ++counted().owners_;
    }
    T* release() noexcept { return std::exchange(object_, nullptr); }

    T* object_ = nullptr;
};

// NOLINTEND(clang-analyzer-cplusplus.NewDelete)
// NOLINTEND(cppcoreguidelines-special-member-functions)

template <class T, class... Arguments>
Ref<T> make_ref(Arguments&&... arguments) {
    return Ref<T>(new T(std::forward<Arguments>(arguments)...));
}

} // namespace stage3
