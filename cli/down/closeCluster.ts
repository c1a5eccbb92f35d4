/**
 * Removes only the app's permission to create NodeClaims: the app continues to drain and terminate machines, but makes no new ones, whatever pods
 * wait. The permission is in a ClusterRole of the chart, so no object of a user is changed, and installing the chart again restores it.
 */
import { isSuccess } from '../../shared/kubeclient/status.ts'
import { member } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { listObjects, refused } from './kubeObjects.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const OF_THE_APP = { labelSelector: 'app.kubernetes.io/part-of=joiner,app.kubernetes.io/component=app' }

type Rule = { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[]; readonly verbs?: readonly string[] }

/** Returns true if there was a permission to remove. */
export async function closeCluster({ call }: Pick<DownCluster, 'call'>, signal: AbortSignal): Promise<boolean> {
  let closed = false
  for (const role of await listObjects(call, ROLES, OF_THE_APP, signal)) {
    const rules = rulesOf(role)
    const left = rules.map(withoutMaking)
    if (left.every((rule, index) => rule === rules[index])) continue
    const { name, labels, annotations } = role.metadata
    const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name, labels, annotations }, rules: left }
    // Written as field manager `helm`, which owns the field. So the next apply of Helm has no conflict.
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
