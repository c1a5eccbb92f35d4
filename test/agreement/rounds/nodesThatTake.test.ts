import { expect, it } from 'vitest'
import { LABEL } from '../../../shared/model/labels.ts'
import { node } from '../../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../builders/nodeClaim.ts'
import { pod } from '../../builders/pod.ts'
import { snapshot } from '../../builders/snapshot.ts'
import { nodesThatTake } from './nodesThatTake.ts'

const ZONES: { readonly [name: string]: string } = { open: 'eastus-1', full: 'eastus-1', closed: 'eastus-1', far: 'eastus-2' }
const names = Object.keys(ZONES)
const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] as const
const given = snapshot({
  objects: {
    nodeClaim: names.map((name) => nodeClaim({ name, zone: ZONES[name] ?? '' })),
    node: names.map((name) => node({ claim: name, zone: ZONES[name] ?? '', ...(name === 'closed' ? { taints } : {}) })),
    pod: [pod({ name: 'heavy', nodeName: nodeNameOf('full'), cpus: 3, labels: { app: 'a' } })],
  },
})

const term = {
  topologyKey: LABEL.zone,
  selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
  namespaces: [],
  matchLabelKeys: [],
  mismatchLabelKeys: [],
}

it.each([
  { what: 'a small pod', shape: { cpus: 0.1 }, on: ['open', 'full', 'far'] },
  { what: 'a pod that does not fit beside another one', shape: { cpus: 2 }, on: ['open', 'far'] },
  { what: 'a pod of a zone', shape: { cpus: 2, nodeSelector: { [LABEL.zone]: 'eastus-2' } }, on: ['far'] },
  {
    what: 'a pod that keeps away from another one',
    shape: { cpus: 0.1, podAntiAffinity: { required: [term], preferred: [] } },
    on: ['far'],
  },
  { what: 'a pod that fits nowhere', shape: { cpus: 20 }, on: [] },
])('$what is taken by $on', ({ shape, on }) => {
  expect(nodesThatTake(given, pod({ name: 'left', ...shape }))).toEqual(on.map(nodeNameOf))
})
