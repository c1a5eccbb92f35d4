import type { MadeFrom, MoveScenarios } from './moveScenario.ts'

const OLD: MadeFrom = { version: '1.34.2', identity: 'first', image: 'old', disk: 128 }
const NEW: MadeFrom = { version: '1.35.0', identity: 'second', image: 'new', disk: 256 }
const FULL = { p: { on: 'n1', asks: { cpu: 3.5 } } } as const

/** A node that was made from one thing, while new nodes get another. */
const made = (madeFrom: MadeFrom, newNodes: MadeFrom) => ({ nodes: { n1: {} }, pods: FULL, madeFrom: { n1: madeFrom }, newNodes })

/** Why a node drifts by what new nodes are made from. The first reason counts: class, version, identity of the kubelet, image. */
export const DRIFT_REASONS: MoveScenarios = {
  'a node that was made from what new nodes get has not drifted': {
    given: made(OLD, OLD),
    want: { marked: { n1: 'none' } },
  },
  'the spec of its class comes before all else': {
    given: made(OLD, NEW),
    want: { marked: { n1: 'NodeClassDrift' } },
  },
  'the Kubernetes version comes before the identity of the kubelet and the image': {
    given: made(OLD, { ...NEW, disk: 128 }),
    want: { marked: { n1: 'K8sVersionDrift' }, says: 'made for Kubernetes 1.34.2, and aksnodeclass default makes nodes of 1.35.0' },
  },
  'the identity of the kubelet comes before the image': {
    given: made(OLD, { ...NEW, disk: 128, version: '1.34.2' }),
    want: { marked: { n1: 'KubeletIdentityDrift' } },
  },
  'the image comes last': {
    given: made(OLD, { ...OLD, image: 'new' }),
    want: { marked: { n1: 'ImageDrift' } },
  },
  'DR-06 a node with another identity of the kubelet than its cluster is configured with has drifted': {
    given: made(OLD, { ...OLD, identity: 'second' }),
    want: {
      marked: { n1: 'KubeletIdentityDrift' },
      says: 'label kubernetes.azure.com/kubelet-identity-client-id of the node is first, and kubeletIdentityClientId of the cluster is second',
    },
  },
  'DR-06 a node without that label has not': {
    given: made({ version: '1.34.2', image: 'old', disk: 128 }, { ...OLD, identity: 'second' }),
    want: { marked: { n1: 'none' } },
  },
  'DR-06 a node with an empty label has not': {
    given: made({ ...OLD, identity: '' }, { ...OLD, identity: 'second' }),
    want: { marked: { n1: 'none' } },
  },
  'DR-06 the case of the letters does not matter': {
    given: made({ ...OLD, identity: 'FIRST' }, { ...OLD, identity: 'First' }),
    want: { marked: { n1: 'none' } },
  },
  'where the identity of the cluster is not known, no node drifts by it': {
    given: made(OLD, { version: '1.34.2', image: 'old', disk: 128 }),
    want: { marked: { n1: 'none' } },
  },
  'where it is empty, no node drifts by it': {
    given: made(OLD, { ...OLD, identity: '' }),
    want: { marked: { n1: 'none' } },
  },
  'of two nodes the one with the former identity has drifted': {
    given: {
      nodes: { n1: {}, n2: {} },
      madeFrom: { n1: OLD, n2: { ...OLD, identity: 'second' } },
      newNodes: { ...OLD, identity: 'second' },
    },
    want: { marked: { n1: 'KubeletIdentityDrift', n2: 'none' } },
  },
}
