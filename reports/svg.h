// SPDX-License-Identifier: Apache-2.0
// The few shapes that pictures are made of. `anchor` is start, middle or end.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace plumb::reports {

struct Frame {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// A logarithmic axis in octaves. Zero and what lies below `low` stand at the near edge, infinity at
// the far one.
struct Octaves {
  double low, high;
  double place(double v) const {
    if (!(v > 0)) return 0;
    return std::clamp((std::log2(v) - low) / (high - low), 0.0, 1.0);
  }
};

// Whole steps of 4 octaves around the positive finite values, or low to high when there are none;
// at least 8 octaves.
Octaves octaves_around(const std::vector<double>& values, double low, double high);
double tick_step(const Octaves& axis);

// A picture with a name for those who do not see it.
std::string svg(double width, double height, const char* label, const std::string& body);
std::string line(const char* kind, double x1, double y1, double x2, double y2);
std::string caption(double x, double y, const char* anchor, const std::string& text);
// "2" with its exponent raised.
std::string power(double exponent, double x, double y, const char* anchor);

}  // namespace plumb::reports
