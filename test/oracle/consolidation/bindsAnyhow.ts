import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { nodeClaimName } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import { bindWave, trialsOf, type Wave } from '../../checker/bindWave.ts'
import { type Command, cheapestOutcome, type Replacement } from './command.ts'

/** Ways to bind the pods of each command. */
const TRIALS = 96

/**
 * Reports whether the pods of the command find places however kube-scheduler binds them. Karpenter does not check that: where a command holds in one
 * order only, pods may be left without a place until one more machine is bought.
 */
export function bindsAnyhow(snapshot: ClusterSnapshot, { candidates, replacement }: Command): boolean {
  const bound = (each: Command['candidates'][number]) => snapshot.objects.pod.filter(({ nodeName }) => nodeName === each.node.name)
  const deleting = candidates.map((each) => ({
    claim: each.claim,
    node: each.node,
    reason: 'Underutilized',
    pods: bound(each),
    with: replacement === undefined ? 0 : 1,
  }))
  const wave: Wave = { snapshot, deleting, creates: replacement === undefined ? [] : [createOf(replacement)] }
  return [...trialsOf(TRIALS)].every((trial) => bindWave(wave, trial).unbound.length === 0)
}

/** The replacement as a machine to come. */
export function createOf(replacement: Replacement): Wave['creates'][number] {
  const { claim, sizes } = replacement
  const names = { key: LABEL.instanceType, operator: 'In' as const, values: sizes.map(({ type }) => type.name) }
  const spec = { ...claim.spec, requirements: [...claim.spec.requirements, names] }
  return {
    draft: { name: nodeClaimName(claim.name), spec, labels: claim.labels },
    choice: { size: cheapestOutcome(replacement).type.name },
  }
}
