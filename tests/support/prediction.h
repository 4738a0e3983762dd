// For exercises of the kind "predict": compares a number that the reader predicted with
// the one that a program finds.
#pragma once

#include <doctest/doctest.h>

#include <ostream> // doctest wants it
#include <source_location>
#include <string>

namespace tests {

/// The value of `unanswered` in every exercise: a question without an answer yet.
constexpr int no_prediction = -1;

/// Fails the running test case unless `predicted` is `found`, and then prints `advice`,
/// which says what to think about. It doesn't print the number that was found, because
/// that would only be copied.
/// \param question  its name in the reader's file
/// \param place     the line to report: by default that of the caller
inline void
check_prediction(const std::string& question, int predicted, int found,
                 const std::string& advice,
                 std::source_location place = std::source_location::current()) {
    const auto line = static_cast<int>(place.line());
    if (predicted == no_prediction)
        ADD_FAIL_CHECK_AT(place.file_name(), line, question << " is not answered yet");
    else if (predicted != found)
        ADD_FAIL_CHECK_AT(place.file_name(), line,
                          question << " is not " << predicted << ": " << advice);
}

/// Asks an exercise's questions: `Answers` has a number for each, predicted by the reader
/// and found by a program.
template <class Answers>
class Questions {
  public:
    Questions(const Answers& predicted, Answers (*find)())
        : predicted_(predicted), find_(find) {}

    /// See check_prediction. The program runs once, when the first question is asked.
    void operator()(const std::string& question, int Answers::* answer,
                    const std::string& advice,
                    std::source_location place = std::source_location::current()) const {
        static const Answers found = find_();
        check_prediction(question, predicted_.*answer, found.*answer, advice, place);
    }

  private:
    const Answers& predicted_;
    Answers (*find_)();
};

} // namespace tests
