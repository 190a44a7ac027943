// SPDX-License-Identifier: Apache-2.0
// Inline SVG pictures of findings. Colours are classes, so that a page's style sheet turns them
// dark.
#pragma once

#include <string>
#include <vector>

#include "reports/tally.h"

namespace plumb::reports {

// One output tensor of one verdict.
struct Point {
  const Verdict* verdict;
  const TensorFinding* finding;
};
std::vector<Point> points_of(const Cell& cell);

// The worst element of each tensor: its error over its budget, on a line from 2^-12 to 2^4; the bar
// is 1.
std::string ratio_strip(const std::vector<Point>& points);
std::string ratio_strip_scale();

// Error against budget of the worst elements, both relative to the tensor's largest magnitude, log
// axes. Above the diagonal is outside the budget.
std::string error_against_budget(const std::vector<Point>& points);

// How many tensors have which worst error over budget, a bar an octave.
std::string ratio_histogram(const std::vector<Point>& points);

// Smallest margin of each selection, log axis. Empty when there is no selection.
std::string selection_margins(const std::vector<Point>& points);

}  // namespace plumb::reports
