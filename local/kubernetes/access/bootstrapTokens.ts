import { objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import type { Api } from '../verbs/api.ts'
import type { TokenReader } from './authentication.ts'

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const SECRET_TYPE = 'bootstrap.kubernetes.io/token'
const GROUP_PREFIX = 'system:bootstrappers:'
export const BOOTSTRAPPERS = 'system:bootstrappers'

/** Reads `id.secret` tokens from the Secrets `bootstrap-token-<id>` in kube-system, until they expire. */
export function readBootstrapTokens(api: Api): TokenReader {
  return (token) => {
    const [, id, secret] = TOKEN.exec(token) ?? []
    if (id === undefined || secret === undefined) return undefined
    const held = api.store.get('secrets', 'kube-system', `bootstrap-token-${id}`)
    if (!held || held['type'] !== SECRET_TYPE || held.metadata.deletionTimestamp) return undefined
    const data = (name: string): string => decode(held, name)
    if (data('token-id') !== id || data('token-secret') !== secret || data('usage-bootstrap-authentication') !== 'true') return undefined
    const expiration = data('expiration')
    if (expiration !== '' && !(Date.parse(expiration) > api.now())) return undefined
    const extra = data('auth-extra-groups')
      .split(',')
      .filter((group) => group.startsWith(GROUP_PREFIX))
    return { name: `system:bootstrap:${id}`, uid: '', groups: [BOOTSTRAPPERS, ...extra] }
  }
}

function decode(secret: KubeObject, name: string): string {
  return Buffer.from(textAt(objectAt(secret, 'data'), name), 'base64').toString('utf8')
}
