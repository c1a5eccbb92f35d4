import { describe, expect, it } from 'vitest'
import { BALANCED } from './balancedScenarios.ts'
import { BINDING } from './bindingScenarios.ts'
import { CALM_SETTINGS } from './calmScenarios.ts'
import { CANDIDATES } from './candidateScenarios.ts'
import { SPOT_AND_ON_DEMAND } from './capacityTypeScenarios.ts'
import { DELETE, REPLACE } from './consolidationScenarios.ts'
import { DRIFT_REASONS } from './driftReasonScenarios.ts'
import { DRIFT } from './driftScenarios.ts'
import { EMPTINESS } from './emptinessScenarios.ts'
import { FURTHER, PROTECTED } from './furtherScenarios.ts'
import { NARROWED_POOL } from './narrowedPoolScenarios.ts'
import { POOL_BUDGETS } from './poolBudgetScenarios.ts'
import { problemsOfMoves } from './verifyMoves.ts'
import { WAYS } from './wayScenarios.ts'

const TABLES = {
  CALM_SETTINGS,
  CANDIDATES,
  EMPTINESS,
  POOL_BUDGETS,
  DELETE,
  REPLACE,
  WAYS,
  DRIFT,
  DRIFT_REASONS,
  NARROWED_POOL,
  BALANCED,
  SPOT_AND_ON_DEMAND,
  PROTECTED,
  FURTHER,
  BINDING,
}

for (const [name, scenarios] of Object.entries(TABLES)) {
  describe(name, () => {
    for (const [sentence, scenario] of Object.entries(scenarios)) {
      it(sentence, () => {
        expect(problemsOfMoves(scenario).join('\n')).toBe('')
      })
    }
  })
}
