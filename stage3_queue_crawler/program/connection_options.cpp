#include "stage3_queue_crawler/program/connection_options.h"

#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/http/address.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace stage3 {
namespace {

using common::UsageError;

/// Empty if there is no such variable.
std::string variable(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

/// Throws if this isn't a PEM file that contains such a thing. `source`: the option that
/// names it.
std::string check_pem(std::string_view source, const std::string& path,
                      std::string_view what) {
    std::ifstream file(path);
    if (!file)
        throw UsageError(fmt::format("{}: {}: {}", source, path,
                                     std::generic_category().message(errno)));
    if (std::filesystem::is_directory(path))
        throw UsageError(fmt::format("{}: {} is a folder, not a file", source, path));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find(fmt::format("{}-----", what)) == std::string::npos)
        throw UsageError(fmt::format("{}: {} has no '-----BEGIN {}-----' in it (PEM)",
                                     source, path, what));
    return text;
}

/// libcurl doesn't look at these; its command-line tool does, and so do we. What they
/// name isn't checked here, because a crawl without TLS never needs it.
/// Source: man 1 curl, --cacert.
void trust_as_environment_says(TlsOptions& tls) {
    tls.ca_file = variable("CURL_CA_BUNDLE");
    if (!tls.ca_file.empty())
        return;
    tls.ca_file = variable("SSL_CERT_FILE");
    tls.ca_folder = variable("SSL_CERT_DIR");
}

void check_certificate(const TlsOptions& tls) {
    check_pem("--cert", tls.certificate, "CERTIFICATE");
    const bool is_apart = !tls.key.empty();
    const std::string key =
        check_pem(is_apart ? "--key" : "--cert", is_apart ? tls.key : tls.certificate,
                  "PRIVATE KEY");
    if (key.find("ENCRYPTED") != std::string::npos)
        throw UsageError("the key needs a password, and a crawl can't ask for one: "
                         "decrypt it with 'openssl pkey -in FILE -out FILE2'");
}

/// A proxy that libcurl can't use would fail each fetch. Its URL may have a password, so
/// the message doesn't quote it.
void check_proxy(const std::string& source, const std::string& url) {
    if (!read_proxy(url))
        throw UsageError(source
                         + ": not a usable proxy: give one like http://proxy:3128 (or "
                           "https, socks4, socks4a, socks5, socks5h)");
}

} // namespace

ConnectionOptions::ConnectionOptions(common::CommandLine& line, bool& wants_help) {
    line.add("--cacert", "FILE", "trust the CAs in FILE (default: the system's)",
             common::text_into(tls_.ca_file));
    line.add_flag("--insecure", "don't check certificates", tls_.insecure);
    line.add("--cert", "FILE", "the client certificate, for the roots' origins",
             common::text_into(tls_.certificate));
    line.add("--key", "FILE", "its key (default: in --cert's file)",
             common::text_into(tls_.key));
    line.add("--proxy", "URL", "fetch through a proxy (default: from http_proxy etc.)",
             common::text_into(proxy_));
    line.add_flag("--http1.1", "don't speak HTTP/2", http1_);
    line.add_flag("--http2", "speak HTTP/2 (default with libcurl 8.14 or later)", http2_);
    line.add_flag("--help-connections", "folders, --remap, TLS, HTTP/2 and proxies",
                  wants_help);
    for (const char* const name :
         {"--cacert", "--insecure", "--cert", "--key", "--proxy", "--http1.1", "--http2"})
        line.hide(name);
}

void ConnectionOptions::apply(SessionOptions& session) const {
    session.tls = tls_;
    TlsOptions& tls = session.tls;
    if (tls.insecure && !tls.ca_file.empty())
        throw UsageError("--insecure and --cacert: give one of these");
    if (!tls.ca_file.empty())
        check_pem("--cacert", tls.ca_file, "CERTIFICATE");
    else if (!tls.insecure)
        trust_as_environment_says(tls);
    if (tls.certificate.empty() && !tls.key.empty())
        throw UsageError("--key is for a certificate: give that, too, with --cert");
    if (!tls.certificate.empty())
        check_certificate(tls);
    session.proxy = proxy_;
    if (!proxy_.empty())
        check_proxy("--proxy", proxy_);
    else
        for (const char* const scheme : {"http", "https"})
            if (const auto proxy = proxy_variable_for(scheme))
                check_proxy(proxy->name, proxy->value);
    if (http1_ && http2_)
        throw UsageError("--http1.1 and --http2: give one of these");
    if (http2_ && !has_http2())
        throw UsageError("--http2: this libcurl was built without HTTP/2");
    if (http1_)
        session.http_version = HttpVersion::one;
    else if (http2_)
        session.http_version = HttpVersion::two;
}

void stay_among_public_addresses(SessionOptions& session) {
    constexpr std::string_view why = "--no-private can't see which addresses a proxy "
                                     "goes to: ";
    if (!session.proxy.empty())
        throw UsageError(fmt::format("{}leave out --proxy", why));
    for (const char* const scheme : {"http", "https"})
        if (const auto proxy = proxy_variable_for(scheme))
            throw UsageError(fmt::format("{}unset {}", why, proxy->name));
    session.objection = [](const sockaddr& address) {
        return is_private(address) ? fmt::format("address {} is private (--no-private)",
                                                 in_digits(address))
                                   : std::string();
    };
}

} // namespace stage3
