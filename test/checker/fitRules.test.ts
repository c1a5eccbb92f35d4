import { LABEL } from '../../shared/model/labels.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { nodePool } from '../builders/nodePool.ts'
import { DAEMON_SET, daemonPod, type PodShape, pod } from '../builders/pod.ts'
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
  'as much as a node has room for': {
    pods: [pod({ cpus: 2.86 }), pod({ name: 'old', cpus: 1, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
  },
  'memory that a node has not': {
    pods: [pod({ memoryGib: 14 })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'a resource that no machine there has': {
    pods: [pod({ requests: { cpu: 1000, 'nvidia.com/gpu': 1 } })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'a node that is beyond its room in what the pod does not ask for': {
    pods: [
      pod({ requests: { memory: 1, 'nvidia.com/gpu': 0 } }),
      pod({ name: 'old', requests: { cpu: 9000, 'nvidia.com/gpu': 1 }, nodeName: 'joiner-a' }),
    ],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
  },
  'room that a daemon needs which has yet to come': {
    pods: [pod({ cpus: 3.5 })],
    objects: { ...TWO_NODES, daemonSet: [daemonSet({ cpus: 0.5 })] },
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'no more room than a daemon needs which is there': {
    pods: [pod({ cpus: 3.3 }), daemonPod('joiner-a', { cpus: 0.5 })],
    objects: { ...TWO_NODES, daemonSet: [daemonSet({ cpus: 0.5 })] },
    targets: { 'joiner-a': ['pod'] },
  },
  'a daemon that asks for more than its set says now': {
    pods: [pod({ cpus: 3 }), daemonPod('joiner-a', { cpus: 1 })],
    objects: { ...TWO_NODES, daemonSet: [daemonSet({ cpus: 0.5 })] },
    targets: { 'joiner-a': ['pod'] },
    breaks: 'resources',
  },
  'two host ports of one number': {
    pods: [pod({ name: 'a', ...port() }), pod({ name: 'b', hostPorts: [{ ip: '', port: 80, protocol: 'UDP' }] })],
    claims: [{ pods: ['a', 'b'] }],
  },
  'two host ports': {
    pods: [pod({ name: 'a', ...port() }), pod({ name: 'b', hostPorts: [{ ip: '', port: 81, protocol: 'TCP' }] })],
    claims: [{ pods: ['a', 'b'] }],
  },
  'one host port at every address, written in another way': {
    pods: [pod({ name: 'a', ...port('') }), pod({ name: 'b', ...port('::') }), pod({ name: 'c', ...port('1.2.3.4') })],
    claims: [{ pods: ['a', 'c'] }, { pods: ['b'] }],
    breaks: 'hostPort',
  },
  'one host port at every address of the other family': {
    pods: [pod({ name: 'b', ...port('::') }), pod({ name: 'c', ...port('1.2.3.4') })],
    claims: [{ pods: ['c', 'b'] }],
    breaks: 'hostPort',
  },
  'one of several host ports': {
    pods: [
      pod({ name: 'a', ...port() }),
      pod({ name: 'b', hostPorts: [{ ip: '', port: 81, protocol: 'TCP' }, ...(port().hostPorts ?? [])] }),
    ],
    claims: [{ pods: ['b', 'a'] }],
    breaks: 'hostPort',
  },
  'a host port of a pod that is there': {
    pods: [pod(port()), pod({ name: 'old', nodeName: 'joiner-a', ...port() })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
    breaks: 'hostPort',
  },
  'a host port of a pod that has ended': {
    pods: [pod(port()), pod({ name: 'old', nodeName: 'joiner-a', ...port(), phase: 'Succeeded' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
  },
  'one host port that two pods share which are there': {
    pods: [pod(), pod({ name: 'old', nodeName: 'joiner-a', ...port() }), pod({ name: 'older', nodeName: 'joiner-a', ...port() })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['pod'] },
  },
  'a host port that a daemon gave up, whose pod is there': {
    pods: [pod(port()), daemonPod('joiner-a', { owner: { ...DAEMON_SET, uid: daemonSet().uid } })],
    objects: { ...TWO_NODES, daemonSet: [daemonSet()] },
    targets: { 'joiner-a': ['pod'] },
  },
  'a host port that a daemon will have, another of which is there': {
    pods: [pod(port()), daemonPod('joiner-a', { owner: { ...DAEMON_SET, uid: daemonSet().uid } })],
    objects: { ...TWO_NODES, daemonSet: [daemonSet(), daemonSet({ name: 'web', ...port() })] },
    targets: { 'joiner-a': ['pod'] },
    breaks: 'hostPort',
  },
})
