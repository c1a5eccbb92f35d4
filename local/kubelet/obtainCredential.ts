import { err, ok, type Result } from '../../shared/base/result.ts'
import { createApi } from '../cluster/client/api.ts'
import type { Credential, KubeConnection } from '../cluster/client/connection.ts'
import { startInformer } from '../cluster/client/informer.ts'
import { createKubeClient, type KubeClient, type Refusal } from '../cluster/client/kubeClient.ts'
import type { CertificateSigningRequest } from '../cluster/client/objects.ts'
import { NODES, SIGNING_REQUESTS } from '../cluster/client/resource.ts'
import { makeSigningRequest } from './signingRequest.ts'

/**
 * How a kubelet gets its lasting identity. `signingRequest` is what a real kubelet does: it shows the bootstrap token once and gets a client
 * certificate as `system:node:<name>`. `bootstrapToken` keeps using the token, so the node falls silent when the token is deleted or expires. It
 * is for API servers without a signer, and has to be chosen explicitly.
 */
export type CredentialFlow = 'signingRequest' | 'bootstrapToken' | CredentialIssuer

/**
 * Takes the place of a signer where the API server accepts no client certificates. It issues a credential to the node once the API server has
 * accepted the bootstrap token.
 */
export type CredentialIssuer = { readonly issue: (nodeName: string) => Promise<Credential> }

export type CredentialRequest = {
  readonly flow: CredentialFlow
  /** The API server, with the bootstrap token as credential. */
  readonly bootstrap: KubeConnection & { readonly credential: { readonly kind: 'token'; readonly token: string } }
  readonly nodeName: string
  /** How long to wait for the signature, in milliseconds of real time. */
  readonly patienceMs: number
  readonly signal: AbortSignal
}

export async function obtainCredential(request: CredentialRequest): Promise<Result<Credential, Refusal>> {
  if (request.flow === 'bootstrapToken') return ok(request.bootstrap.credential)
  const client = createKubeClient(request.bootstrap)
  const api = createApi(client, request.signal)
  try {
    if (typeof request.flow === 'object') {
      const proof = await api.get(NODES, { name: request.nodeName })
      return proof.ok || proof.error.code === 404 ? ok(await request.flow.issue(request.nodeName)) : proof
    }
    const made = await makeSigningRequest(request.nodeName)
    const created = await api.create(SIGNING_REQUESTS, {
      metadata: { generateName: 'node-csr-' },
      spec: {
        request: made.request,
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    })
    if (!created.ok) return created
    const certificate = await waitForCertificate(client, created.value.metadata.name, request)
    return certificate.ok ? ok({ kind: 'certificate', certificate: certificate.value, key: made.key }) : certificate
  } finally {
    client.close()
  }
}

/** Lists and watches the one request, as a kubelet does. Polling by hundreds of new nodes would keep the control plane busy. */
function waitForCertificate(client: KubeClient, name: string, { patienceMs, signal }: CredentialRequest): Promise<Result<string, Refusal>> {
  const request = startInformer(SIGNING_REQUESTS, { client, query: { fieldSelector: `metadata.name=${name}` } })
  return new Promise((resolve) => {
    const end = (result: Result<string, Refusal>): void => {
      clearTimeout(patience)
      signal.removeEventListener('abort', giveUp)
      request.close()
      resolve(result)
    }
    const giveUp = (): void => end(err(NOBODY_SIGNED))
    const patience = setTimeout(giveUp, patienceMs)
    signal.addEventListener('abort', giveUp)
    request.onChange((now) => {
      const outcome = now && outcomeOf(now)
      if (outcome !== undefined) end(outcome)
    })
  })
}

const NOBODY_SIGNED: Refusal = {
  code: 0,
  reason: 'Timeout',
  message: 'nobody signed the certificate signing request: is a signer running in this control plane?',
}

/** Undefined while the request has neither a certificate nor a refusal. */
function outcomeOf({ status = {} }: CertificateSigningRequest): Result<string, Refusal> | undefined {
  const { certificate, conditions } = status
  if (certificate) return ok(Buffer.from(certificate, 'base64').toString('utf8'))
  const no = conditions?.find(({ type }) => type === 'Denied' || type === 'Failed')
  if (no === undefined) return undefined
  return err({ code: 403, reason: no.type, message: `certificate signing request ${no.type.toLowerCase()}: ${no.message ?? ''}` })
}
