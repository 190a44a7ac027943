// SPDX-License-Identifier: Apache-2.0
#include "reports/well_formed_test_data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace plumb::reports {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string read() {
    while (at_ < text_.size() && wrong_.empty()) {
      if (text_[at_] == '<')
        read_tag();
      else if (text_[at_] == '&')
        read_entity();
      else if (text_[at_] == '>')
        fail("a bare >");
      else
        ++at_;
    }
    if (wrong_.empty() && !open_.empty()) fail("<" + open_.back() + "> is not closed");
    return wrong_;
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) {
      wrong_ = what + " at " + std::to_string(at_) + ": " + std::string(text_.substr(at_, 60));
    }
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    if (at_ == begin) fail("a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }
  void spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  void read_entity() {
    const std::size_t end = text_.find(';', at_);
    if (end == std::string_view::npos || end > at_ + 8)
      fail("a bare &");
    else
      at_ = end + 1;
  }

  void read_value() {
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '"' && quote != '\'') return fail("a value without quotes");
    ++at_;
    while (wrong_.empty() && at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '<')
        fail("< in a value");
      else if (text_[at_] == '&')
        read_entity();
      else
        ++at_;
    }
    ++at_;
  }

  void read_attributes() {
    for (spaces(); wrong_.empty() && at_ < text_.size(); spaces()) {
      if (text_[at_] == '>' || text_[at_] == '/' || text_[at_] == '?') return;
      name();
      if (take("=")) read_value();  // HTML has attributes without a value: <details open>
    }
  }

  void read_tag() {
    if (take("<!DOCTYPE html>")) return;
    if (take("<?xml")) {
      read_attributes();
      if (!take("?>")) fail("?> is missing");
      return;
    }
    if (take("</")) return close();
    ++at_;
    const std::string element = name();
    read_attributes();
    if (take("/>")) return;
    if (!take(">")) return fail("> is missing");
    constexpr std::array kVoid{"meta", "br"};
    if (std::find(kVoid.begin(), kVoid.end(), element) != kVoid.end()) return;
    if (element == "style") at_ = std::min(text_.find("</style>", at_), text_.size());
    open_.push_back(element);
  }

  void close() {
    const std::string element = name();
    if (open_.empty() || open_.back() != element) return fail("</" + element + "> closes nothing");
    open_.pop_back();
    if (!take(">")) fail("> is missing");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::string wrong_;
};

}  // namespace

std::string well_formed_violation(std::string_view text) { return Reader(text).read(); }

}  // namespace plumb::reports
