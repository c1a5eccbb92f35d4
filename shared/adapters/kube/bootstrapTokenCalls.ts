import { randomInt } from 'node:crypto'
import { mapBounded } from '../../base/concurrency.ts'
import { stableName } from '../../base/stableHash.ts'
import { faultOf, isSuccess } from '../../kubeclient/status.ts'
import { type ClusterId, instanceNameOf, type MachineNames, type NodeClaimName } from '../../model/ids.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi, TokenLaunch } from '../../ports/clusterApi.ts'
import { instantToKube } from '../../wire/kube/print.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { RESOURCE, secretsPath } from './kubePaths.ts'
import { RANK } from './rank.ts'

type TokenCalls = Pick<ClusterApi, 'putBootstrapToken' | 'deleteBootstrapToken'>

/** The group of the tokens of all joining machines, which has their rights. */
export const BOOTSTRAP_GROUP = 'system:bootstrappers:joiner'
const NAMESPACE = 'kube-system'
const ID_LENGTH = 6
const SECRET_LENGTH = 16
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Tries to write a token. Create and replace can each lose once against another writer. More losses mean that something is wrong. */
const MOST_ROUNDS = 3

/**
 * The calls for the bootstrap token of a launch. Its name follows from cluster, claim and launch, so no right to read Secrets is needed to create,
 * replace and delete it. The claim is its owner: if a slow launch creates a token after the end of the claim, Kubernetes deletes it at once.
 */
export function createBootstrapTokenCalls(objects: KubeObjects, cluster: ClusterId, names: MachineNames): TokenCalls {
  async function put(name: string, body: object, signal: AbortSignalLike): Promise<void> {
    for (let round = 1; ; round++) {
      const created = await objects.call({ method: 'POST', path: secretsPath(NAMESPACE), body, rank: RANK.machine }, signal)
      if (isSuccess(created)) return
      if (created.status !== 409) throw faultOf(created, 'create', `secret/${NAMESPACE}/${name}`)
      const replaced = await objects.call({ method: 'PUT', path: `${secretsPath(NAMESPACE)}/${name}`, body, rank: RANK.machine }, signal)
      if (isSuccess(replaced)) return
      if (replaced.status !== 404 || round === MOST_ROUNDS) throw faultOf(replaced, 'replace', `secret/${NAMESPACE}/${name}`)
    }
  }

  async function remove(name: string, signal: AbortSignalLike): Promise<void> {
    await objects.remove({ path: `${secretsPath(NAMESPACE)}/${name}`, object: `secret/${NAMESPACE}/${name}`, rank: RANK.machine }, signal)
  }

  return {
    async putBootstrapToken(claim, expiresAt, signal, launch) {
      const id = bootstrapTokenId(cluster, claim, launch?.number)
      const secret = randomText(SECRET_LENGTH)
      const name = `bootstrap-token-${id}`
      const stringData = {
        'token-id': id,
        'token-secret': secret,
        expiration: instantToKube(expiresAt),
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'false',
        'auth-extra-groups': `${BOOTSTRAP_GROUP},${groupOf(claim, names)}`,
        description: `joins the machine of nodeclaim ${claim}`,
      }
      const data = Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
      const metadata = { namespace: NAMESPACE, name, ...(launch === undefined ? {} : { ownerReferences: [ownerOf(claim, launch)] }) }
      await put(name, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'bootstrap.kubernetes.io/token', data }, signal)
      return `${id}.${secret}`
    },
    async deleteBootstrapToken(claim, signal, launches = 1) {
      const ids = Array.from({ length: Math.max(1, launches) }, (_, index) => bootstrapTokenId(cluster, claim, index + 1))
      await mapBounded(ids, 4, (id) => remove(`bootstrap-token-${id}`, signal))
    },
  }
}

/**
 * The group of the one machine that joins as the node of the claim. An admission policy lets it request only the certificate of that node. A group
 * must not contain a dot, so dots become colons, which names do not contain.
 */
function groupOf(claim: NodeClaimName, names: MachineNames): string {
  return `${BOOTSTRAP_GROUP}:${instanceNameOf(claim, names).replaceAll('.', ':')}`
}

export function bootstrapTokenId(cluster: ClusterId, claim: NodeClaimName, launch = 1): string {
  return stableName(launch === 1 ? { cluster, claim } : { cluster, claim, launch }, ID_LENGTH)
}

function ownerOf(claim: NodeClaimName, { uid }: TokenLaunch): object {
  const { apiVersion, kind } = RESOURCE.nodeClaim
  return { apiVersion, kind, name: claim, uid }
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
