// The rules, in the order in which they are reported.
import { knownAtStart, moduleParameters, stableNames } from './atStart.ts'
import { askedFor, ownInputs } from './azd.ts'
import { deploymentNames, tags, twice } from './deployed.ts'
import { format } from './format.ts'
import { deadLetter, flex, needed } from './hardening.ts'
import { bounds, chosenNames, resourceIds, whatIf } from './linter.ts'
import { orphans, undeclared, unused } from './names.ts'
import { parametersFiles } from './parametersFile.ts'
import { assignmentNames, roleIds, roles } from './roles.ts'
import type { Rule } from './rule.ts'
import { dependsOn, described, PART_RULES, parents, secrets, sizes } from './texts.ts'

export const RULES: readonly Rule[] = [
  undeclared,
  unused,
  orphans,
  moduleParameters,
  knownAtStart,
  stableNames,
  ...PART_RULES,
  whatIf,
  resourceIds,
  bounds,
  chosenNames,
  format,
  parents,
  dependsOn,
  secrets,
  sizes,
  described,
  ...needed,
  flex,
  deadLetter,
  tags,
  deploymentNames,
  twice,
  roles,
  roleIds,
  assignmentNames,
  parametersFiles,
  askedFor,
  ownInputs,
]
