import type { AccountIssuer } from '../access/accountIssuer.ts'
import type { Reply } from '../http/reply.ts'
import { type ResourceCall, readOne, requireBody } from '../http/resourceHandler.ts'
import { badRequest, conflict, methodNotAllowed, notFound } from '../http/statusError.ts'
import { asText, type JsonObject, listAt, numberAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { invalid, invalidObject } from '../schema/fieldError.ts'
import { type Api, timestamp } from './api.ts'

const GROUP = 'authentication.k8s.io'
const LIFE_SECONDS = 3600
const LEAST_SECONDS = 600
const MOST_SECONDS = 2 ** 32

/** POST of a TokenRequest. The service account token is in the status of the answer, and nothing is stored. */
export function requestToken(api: Api, issuer: AccountIssuer, call: ResourceCall): Reply {
  if (call.verb !== 'create') throw methodNotAllowed()
  const { name, namespace } = call.target
  const account = readOne(api, call.target)
  const spec = objectAt(requireBody(call), 'spec')
  const expirationSeconds = lifeOf(spec)
  const asked = listAt(spec, 'audiences').map(asText)
  const audiences = asked.length > 0 ? asked : [issuer.name()]
  const reference = objectAt(spec, 'boundObjectRef')
  const pod = textAt(reference, 'kind') === '' ? undefined : boundPod(api, account, reference)
  const now = Math.floor(api.now() / 1000)
  const token = issuer.sign({
    iss: issuer.name(),
    sub: `system:serviceaccount:${namespace}:${name}`,
    aud: audiences,
    iat: now,
    nbf: now,
    exp: now + expirationSeconds,
    jti: api.newUid(),
    'kubernetes.io': {
      namespace,
      serviceaccount: nameAndUid(account),
      ...(pod === undefined ? {} : { pod: nameAndUid(pod) }),
    },
  })
  const status = { token, expirationTimestamp: timestamp((now + expirationSeconds) * 1000) }
  return {
    code: 201,
    body: {
      kind: 'TokenRequest',
      apiVersion: `${GROUP}/v1`,
      metadata: { name, namespace, creationTimestamp: timestamp(api.now()) },
      spec: { audiences, expirationSeconds, boundObjectRef: pod === undefined ? null : reference },
      status,
    },
  }
}

function lifeOf(spec: JsonObject): number {
  const expirationSeconds = numberAt(spec, 'expirationSeconds') ?? LIFE_SECONDS
  if (expirationSeconds >= LEAST_SECONDS && expirationSeconds <= MOST_SECONDS) return expirationSeconds
  const rule = expirationSeconds < LEAST_SECONDS ? 'less than 10 minutes' : 'larger than 2^32 seconds'
  const error = invalid('spec.expirationSeconds', expirationSeconds, `may not specify a duration ${rule}`)
  throw invalidObject(GROUP, 'TokenRequest', '', [error])
}

function nameAndUid({ metadata: { name = '', uid = '' } }: KubeObject): JsonObject {
  return { name, uid }
}

/** Returns the pod that the token is bound to. The pod must run as the account. The token becomes invalid with the pod. */
function boundPod(api: Api, account: KubeObject, reference: JsonObject): KubeObject {
  const { name = '', namespace = '' } = account.metadata
  const kind = textAt(reference, 'kind')
  if (kind !== 'Pod')
    throw badRequest(`cannot bind token to object of type ${textAt(reference, 'apiVersion')}, Kind=${kind} on the embedded server`)
  const podName = textAt(reference, 'name')
  const pod = api.store.get('pods', namespace, podName)
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, podName)
  if (textAt(pod, 'spec', 'serviceAccountName') !== name)
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`)
  const uid = textAt(reference, 'uid')
  if (uid !== '' && uid !== pod.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', plural: 'pods' }, podName, why)
  }
  return pod
}
