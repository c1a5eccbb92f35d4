/** Clusters with the answers of another provisioner. The data is not part of the repository. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { type PeerAnswer, peerAnswerOf, type RawAnswer } from './peerAnswer.ts'
import { type RawScenario, snapshotOfScenario } from './scenarioSnapshot.ts'

export type PeerScenario = {
  readonly name: string
  readonly family: string
  /** The features of the cluster. `claimOrderTies` and `peerQuirk:...` mark answers that are one of several right ones, or odd. */
  readonly features: readonly string[]
  /** Labels that pods may select although no pool defines them, beside Karpenter's own. */
  readonly wellKnownLabels: readonly string[]
  readonly snapshot: ClusterSnapshot
  readonly answer: PeerAnswer
}

const FILE = resolve(import.meta.dirname, '../../../shared/data/peer-scheduling/scenarios.jsonl.gz')

export const HAS_PEER_SCENARIOS = existsSync(FILE)

export function peerScenarios(file = FILE): readonly PeerScenario[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => scenarioOf(JSON.parse(line)))
}

function scenarioOf({ scenario, answer }: { readonly scenario: RawScenario; readonly answer: RawAnswer }): PeerScenario {
  const { name, family, features, wellKnownLabels } = scenario
  return { name, family, features: features ?? [], wellKnownLabels, snapshot: snapshotOfScenario(scenario), answer: peerAnswerOf(answer) }
}
