// SPDX-License-Identifier: Apache-2.0
// The parts of the HTML page. Each returns markup whose strings are escaped.
#pragma once

#include <string>
#include <string_view>

#include "reports/tally.h"

namespace plumb::reports {

// The style sheet, light and dark.
std::string_view page_style();

// A badge: a sign and a word, so that colour is not all that tells outcomes apart.
std::string badge(Outcome outcome);
std::string_view sign_of(Outcome outcome);

// Stages by kernels (or layers), and how near each stage came to its budget.
std::string stage_table(const VerdictFile& file, const Table& table);

// Everything about one stage: formula, pictures, tensors, failures.
std::string stage_section(const VerdictFile& file, const Table& table, std::size_t stage);

// One failing verdict in full.
std::string failure_card(const Verdict& verdict);

}  // namespace plumb::reports
