import { randomInt } from 'node:crypto'
import { stableName } from '../../base/stableHash.ts'
import { type ClusterId, instanceNameOf, type NodeClaimName } from '../../model/ids.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { instantToKube } from '../../wire/kube/print.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { secretsPath } from './kubePaths.ts'
import { faultOf, isSuccess } from './kubeStatus.ts'

type TokenCalls = Pick<ClusterApi, 'putBootstrapToken' | 'deleteBootstrapToken'>

/** Of every machine that joins: what its token may do. */
const GROUP = 'system:bootstrappers:joiner'
const NAMESPACE = 'kube-system'
const ID_LENGTH = 6
const SECRET_LENGTH = 16
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Create and replace can each lose once to somebody else; more often means that something is wrong. */
const MOST_ROUNDS = 3

/**
 * The claim's own bootstrap token. Its name follows from cluster and claim, so it is created, replaced and deleted
 * without the right to read a Secret, and a claim never has two.
 */
export function createBootstrapTokenCalls(objects: KubeObjects, cluster: ClusterId): TokenCalls {
  async function put(name: string, body: object, signal: AbortSignalLike): Promise<void> {
    for (let round = 1; ; round++) {
      const created = await objects.call({ method: 'POST', path: secretsPath(NAMESPACE), body }, signal)
      if (isSuccess(created)) return
      if (created.status !== 409) throw faultOf(created, 'create', `secret/${NAMESPACE}/${name}`)
      const replaced = await objects.call({ method: 'PUT', path: `${secretsPath(NAMESPACE)}/${name}`, body }, signal)
      if (isSuccess(replaced)) return
      if (replaced.status !== 404 || round === MOST_ROUNDS) throw faultOf(replaced, 'replace', `secret/${NAMESPACE}/${name}`)
    }
  }

  return {
    async putBootstrapToken(claim, expiresAt, signal) {
      const id = bootstrapTokenId(cluster, claim)
      const secret = randomText(SECRET_LENGTH)
      const name = `bootstrap-token-${id}`
      const stringData = {
        'token-id': id,
        'token-secret': secret,
        expiration: instantToKube(expiresAt),
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'false',
        'auth-extra-groups': `${GROUP},${groupOf(claim)}`,
        description: `joins the machine of nodeclaim ${claim}`,
      }
      const data = Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
      const metadata = { namespace: NAMESPACE, name }
      await put(name, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'bootstrap.kubernetes.io/token', data }, signal)
      return `${id}.${secret}`
    },
    async deleteBootstrapToken(claim, signal) {
      const name = `bootstrap-token-${bootstrapTokenId(cluster, claim)}`
      await objects.remove({ path: `${secretsPath(NAMESPACE)}/${name}`, object: `secret/${NAMESPACE}/${name}` }, signal)
    },
  }
}

/**
 * Of the one machine that joins as the claim's node: an admission policy lets it ask for that node's certificate and no other.
 * A group may have no dot; names have no colon.
 */
function groupOf(claim: NodeClaimName): string {
  return `${GROUP}:${instanceNameOf(claim).replaceAll('.', ':')}`
}

export function bootstrapTokenId(cluster: ClusterId, claim: NodeClaimName): string {
  return stableName({ cluster, claim }, ID_LENGTH)
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
