// The system's converters of character sets (man 3 iconv), under the web's names.
//
// A page's text is converted to UTF-8, and the queries of its links back. Both ways must
// go by the same tables, or a letter comes back as another one: so the names are here.
#pragma once

#include <string>

#include <iconv.h>

namespace common {

/// Converts from one character set to another, both as charset.h names them.
class IconvHandle {
  public:
    IconvHandle(const std::string& to, const std::string& from);
    ~IconvHandle();
    IconvHandle(const IconvHandle&) = delete;
    IconvHandle& operator=(const IconvHandle&) = delete;

    /// False if the system doesn't know one of them.
    explicit operator bool() const { return is_open(handle_); }
    /// To be used with iconv's functions.
    iconv_t get() const { return handle_; }

  private:
    static bool is_open(iconv_t handle);

    iconv_t handle_;
};

} // namespace common
