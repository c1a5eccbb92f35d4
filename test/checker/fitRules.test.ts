import { LABEL } from '../../shared/model/labels.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { inZone, TWO_NODES } from './testing/shapes.ts'

const port = (ip = '0.0.0.0'): PodShape => ({ hostPorts: [{ ip, port: 80, protocol: 'TCP' }] })

describePlacements('one node and its pods', {
  'pods that fit': { pods: [pod()], claims: [{ pods: ['pod'] }] },
  'more pods than a size has room for': { pods: [pod({ cpus: 5 })], claims: [{ pods: ['pod'] }], breaks: 'resources' },
  'no room beside the daemons': {
    pods: [pod({ cpus: 3 })],
    objects: { daemonSet: [daemonSet({ cpus: 1 })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'resources',
  },
  'a daemon that does not run there': {
    pods: [pod({ cpus: 3 })],
    objects: { daemonSet: [daemonSet({ cpus: 1, nodeSelector: { [LABEL.arch]: 'arm64' } })] },
    claims: [{ pods: ['pod'] }],
  },
  'more pods than a node has room for': {
    pods: [pod({ cpus: 3 }), pod({ name: 'old', cpus: 1, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'a zone the pod does not want': {
    pods: [pod({ nodeSelector: { [LABEL.zone]: 'eastus-1' } })],
    claims: [{ pods: ['pod'], where: [inZone('1', '2')] }],
    breaks: 'selector',
  },
  'a zone the pod wants': {
    pods: [pod({ nodeSelector: { [LABEL.zone]: 'eastus-1' } })],
    claims: [{ pods: ['pod'], where: [inZone('1')] }],
  },
  'a taint nobody tolerates': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'NoExecute' }] } })] },
    claims: [{ pods: ['pod'] }],
    breaks: 'toleration',
  },
  'a taint that is only disliked': {
    pods: [pod()],
    objects: { nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } })] },
    claims: [{ pods: ['pod'] }],
  },
  'one host port twice': {
    pods: [pod({ name: 'a', ...port() }), pod({ name: 'b', ...port('1.2.3.4') })],
    claims: [{ pods: ['a', 'b'] }],
    breaks: 'hostPort',
  },
  'one host port at two addresses': {
    pods: [pod({ name: 'a', ...port('1.2.3.5') }), pod({ name: 'b', ...port('1.2.3.4') })],
    claims: [{ pods: ['a', 'b'] }],
  },
  'a host port of a daemon': {
    pods: [pod(port())],
    objects: { daemonSet: [daemonSet(port())] },
    claims: [{ pods: ['pod'] }],
    breaks: 'hostPort',
  },
})
