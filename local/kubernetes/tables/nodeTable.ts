import { at, type Json, listAt, textAt } from '../object/json.ts'
import { type KubeObject, nameOf } from '../object/kubeObject.ts'
import { objectAge } from './age.ts'
import { column, type TableLayout, wide } from './tableLayout.ts'

/** `kubectl get nodes`. */
export const nodeTable: TableLayout = {
  columns: [
    column('Name'),
    column('Status'),
    column('Roles'),
    column('Age'),
    column('Version'),
    wide('Internal-IP'),
    wide('External-IP'),
    wide('OS-Image'),
    wide('Kernel-Version'),
    wide('Container-Runtime'),
  ],
  row: (node, now) => [
    nameOf(node),
    nodeStatus(node),
    roles(node),
    objectAge(node, now),
    textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    address(node, 'InternalIP'),
    address(node, 'ExternalIP'),
    textAt(node, 'status', 'nodeInfo', 'osImage') || '<unknown>',
    textAt(node, 'status', 'nodeInfo', 'kernelVersion') || '<unknown>',
    textAt(node, 'status', 'nodeInfo', 'containerRuntimeVersion') || '<unknown>',
  ],
}

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').find((condition) => at(condition, 'type') === 'Ready')
  const word = ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word
}

const ROLE = 'node-role.kubernetes.io/'

function roles(node: KubeObject): string {
  const labels = node.metadata.labels ?? {}
  const found = Object.keys(labels).flatMap((key) => {
    if (key.startsWith(ROLE)) return key.length > ROLE.length ? [key.slice(ROLE.length)] : []
    return key === 'kubernetes.io/role' ? [labels[key] ?? ''] : []
  })
  return found.length === 0 ? '<none>' : [...new Set(found)].sort().join(',')
}

function address(node: KubeObject, type: string): string {
  const found: Json | undefined = listAt(node, 'status', 'addresses').find((item) => at(item, 'type') === type)
  return found === undefined ? '<none>' : textAt(found, 'address')
}
