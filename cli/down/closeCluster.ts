/**
 * Takes from the app the right to make NodeClaims, and nothing else: it goes on draining and ending machines, and makes no new ones whatever waits.
 * The right stands in a role of the chart. So no object of a user is changed, and whoever installs the chart again gives it back.
 */
import { isSuccess } from '../../shared/adapters/kube/kubeStatus.ts'
import { member } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { listObjects, refused } from './kubeObjects.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const OF_THE_APP = { labelSelector: 'app.kubernetes.io/part-of=joiner,app.kubernetes.io/component=app' }

type Rule = { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[]; readonly verbs?: readonly string[] }

/** True where there was a right to take away. */
export async function closeCluster({ call }: Pick<DownCluster, 'call'>, signal: AbortSignal): Promise<boolean> {
  let closed = false
  for (const role of await listObjects(call, ROLES, OF_THE_APP, signal)) {
    const rules = rulesOf(role)
    const left = rules.map(withoutMaking)
    if (left.every((rule, index) => rule === rules[index])) continue
    const { name, labels, annotations } = role.metadata
    const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name, labels, annotations }, rules: left }
    // In the name of Helm, whose field it is: its next apply then meets no other owner.
    const query = { fieldManager: 'helm', force: 'true' }
    const path = `${ROLES}/${name}`
    const applied = await call({ method: 'PATCH', path, query, body, contentType: 'application/apply-patch+yaml' }, signal)
    if (!isSuccess(applied)) throw refused('patch', path, applied)
    closed = true
  }
  return closed
}

function withoutMaking(rule: Rule): Rule {
  const makes = rule.apiGroups?.includes('karpenter.sh') && rule.resources?.includes('nodeclaims') && rule.verbs?.includes('create')
  return makes ? { ...rule, verbs: (rule.verbs ?? []).filter((verb) => verb !== 'create') } : rule
}

function rulesOf(role: object): readonly Rule[] {
  const rules = member(role, 'rules')
  return Array.isArray(rules) ? rules : []
}
