import type { Budget, DisruptionPolicy } from '../../../shared/model/nodePool.ts'
import { refuseOthers } from '../knownWords.ts'
import type { WordsOf } from '../words.ts'
import type { MadeFrom, MoveScenario, MoveWant } from './moveScenario.ts'

const SCENARIO: WordsOf<MoveScenario> = { given: true, want: true }
const POLICY: WordsOf<DisruptionPolicy> = { consolidationPolicy: true, unknownPolicy: true, consolidateAfter: true, budgets: true }
const BUDGET: WordsOf<Budget> = { nodes: true, schedule: true, duration: true, starts: true, reasons: true, unknownReasons: true }
const WANT: WordsOf<MoveWant> = {
  goes: true,
  deleting: true,
  replaced: true,
  replacing: true,
  stays: true,
  marked: true,
  says: true,
  saves: true,
}
const MADE_FROM: WordsOf<MadeFrom> = { version: true, identity: true, image: true, disk: true }
const GOES: WordsOf<NonNullable<MoveWant['goes']>> = { Empty: true, Underutilized: true, Drifted: true }

/** Throws for the first word that the notation of moves does not have. The words of the cluster are checked elsewhere. */
export function refuseUnknownMoveWords(scenario: MoveScenario): void {
  refuseOthers('scenario', scenario, SCENARIO)
  const { given, want } = scenario
  for (const [pool, policy] of Object.entries(given.policies ?? {})) {
    refuseOthers(`given.policies.${pool}`, policy, POLICY)
    for (const budget of policy.budgets ?? []) refuseOthers(`given.policies.${pool}.budgets`, budget, BUDGET)
  }
  refuseOthers('given.newNodes', given.newNodes, MADE_FROM)
  for (const [node, made] of Object.entries(given.madeFrom ?? {})) refuseOthers(`given.madeFrom.${node}`, made, MADE_FROM)
  refuseOthers('want', want, WANT)
  refuseOthers('want.goes', want.goes, GOES)
}
