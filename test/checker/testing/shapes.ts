/** Shapes of pods, and of the objects that they use, for handmade placements. */
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pod.ts'
import type { RequirementSpec } from '../../../shared/model/requirements.ts'
import { node } from '../../builders/node.ts'
import { nodeClaim } from '../../builders/nodeClaim.ts'
import { type PodShape, pod } from '../../builders/pod.ts'

export const TWO_NODES = {
  node: [node({ claim: 'a', zone: 'eastus-1' }), node({ claim: 'b', zone: 'eastus-2' })],
  nodeClaim: [nodeClaim({ name: 'a' }), nodeClaim({ name: 'b' })],
}

export const inZone = (...zones: string[]): RequirementSpec => ({
  key: LABEL.zone,
  operator: 'In',
  values: zones.map((each) => `eastus-${each}`),
})
export const app = (name: string, shape: PodShape = {}): Pod => pod({ name, labels: { app: 'a' }, ...shape })
export const near = (topologyKey: string, name = 'a'): PodAffinityTerm => ({
  topologyKey,
  selector: { matchLabels: { app: name }, matchExpressions: [] },
  namespaces: [],
  matchLabelKeys: [],
  mismatchLabelKeys: [],
})
export const apart = (topologyKey: string): PodShape => ({ podAntiAffinity: { required: [near(topologyKey)], preferred: [] } })
/** A hard spread over zones for pods labelled app=a. */
export const spread = (shape: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
  ...shape,
})
