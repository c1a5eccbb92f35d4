// The rules, in the order in which they are reported.
import { orphans, undeclared, unused } from './names.ts'
import type { Rule } from './rule.ts'

export const RULES: readonly Rule[] = [undeclared, unused, orphans]
