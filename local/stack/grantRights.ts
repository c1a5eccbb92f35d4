import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { APP_IDENTITY } from './identities.ts'

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const GROUP = 'rbac.authorization.k8s.io'
const BOOTSTRAPPERS = { apiGroup: GROUP, kind: 'Group', name: 'system:bootstrappers:joiner' }

/** Who may do what: the app everything for now, new machines what it takes to join. */
const GRANTS = [
  { name: 'joiner-app', role: 'cluster-admin', subject: { apiGroup: GROUP, kind: 'User', name: APP_IDENTITY.objectId } },
  { name: 'joiner-bootstrap', role: 'system:node-bootstrapper', subject: BOOTSTRAPPERS },
  { name: 'joiner-bootstrap-approval', role: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient', subject: BOOTSTRAPPERS },
]

/** Binds the roles that the stack's identities need in a cluster that checks rights. Bindings that are there already stay. */
export async function grantRights(client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const { name, role, subject } of GRANTS) {
    const body = { metadata: { name }, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role }, subjects: [subject] }
    const made = await client.send({ method: 'POST', path: BINDINGS, body, signal })
    if (!made.ok && made.error.code !== 409) {
      throw new Fault(`bind ${role}`, problem('SETTING.INVALID', `clusterrolebinding ${name} was refused: ${made.error.message}`))
    }
  }
}
