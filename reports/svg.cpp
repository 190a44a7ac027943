// SPDX-License-Identifier: Apache-2.0
#include "reports/svg.h"

#include <fmt/format.h>

namespace plumb::reports {

Octaves octaves_around(const std::vector<double>& values, double low, double high) {
  bool any = false;
  for (double v : values) {
    if (!(v > 0) || std::isinf(v)) continue;
    low = any ? std::min(low, std::log2(v)) : std::log2(v);
    high = any ? std::max(high, std::log2(v)) : std::log2(v);
    any = true;
  }
  Octaves axis{4 * std::floor((low - 1) / 4), 4 * std::ceil((high + 1) / 4)};
  while (axis.high - axis.low < 8) axis.low -= 4;
  return axis;
}

double tick_step(const Octaves& axis) {
  double step = 4;
  while ((axis.high - axis.low) / step > 7) step *= 2;
  return step;
}

std::string svg(double width, double height, const char* label, const std::string& body) {
  return fmt::format(
      "<svg viewBox='0 0 {0} {1}' width='{0}' height='{1}' role='img' aria-label='{2}'>{3}</svg>",
      width, height, label, body);
}

std::string line(const char* kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class='{}' x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}'/>", kind, x1,
                     y1, x2, y2);
}

std::string caption(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text class='cap' x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>", x, y,
                     anchor, text);
}

std::string power(double exponent, double x, double y, const char* anchor) {
  return fmt::format(
      "<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>2<tspan dy='-4' class='up'>{}</tspan></text>",
      x, y, anchor,
      exponent < 0 ? fmt::format("\u2212{}", -exponent) : fmt::format("{}", exponent));
}

}  // namespace plumb::reports
