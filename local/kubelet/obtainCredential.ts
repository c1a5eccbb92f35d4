import { err, ok, type Result } from '../../shared/base/result.ts'
import { createApi } from '../cluster/client/api.ts'
import type { Credential, KubeConnection } from '../cluster/client/connection.ts'
import { pause } from '../cluster/client/informer.ts'
import { createKubeClient, type Refusal } from '../cluster/client/kubeClient.ts'
import type { CertificateSigningRequest } from '../cluster/client/objects.ts'
import { NODES, SIGNING_REQUESTS } from '../cluster/client/resource.ts'
import { makeSigningRequest } from './signingRequest.ts'

/**
 * How a kubelet comes to its lasting identity. `signingRequest` is what a real kubelet does: it shows the bootstrap token
 * once and gets a client certificate as `system:node:<name>`. `bootstrapToken` keeps using the token, so the node falls
 * silent when the token is deleted or expires; for API servers without a signer, and only when asked for.
 */
export type CredentialFlow = 'signingRequest' | 'bootstrapToken' | CredentialIssuer

/**
 * Stands in for a signer where the API server knows no client certificates: once the bootstrap token proved good, gives
 * the node a credential of its own.
 */
export type CredentialIssuer = { readonly issue: (nodeName: string) => Promise<Credential> }

export type CredentialRequest = {
  readonly flow: CredentialFlow
  /** The API server, with the bootstrap token as credential. */
  readonly bootstrap: KubeConnection & { readonly credential: { readonly kind: 'token'; readonly token: string } }
  readonly nodeName: string
  /** How long to wait for the signature. */
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
    const certificate = await waitForCertificate(() => api.get(SIGNING_REQUESTS, created.value.metadata), request)
    return certificate.ok ? ok({ kind: 'certificate', certificate: certificate.value, key: made.key }) : certificate
  } finally {
    client.close()
  }
}

const POLL_MS = 100

async function waitForCertificate(
  look: () => Promise<Result<CertificateSigningRequest, Refusal>>,
  { patienceMs, signal }: CredentialRequest,
): Promise<Result<string, Refusal>> {
  for (let waitedMs = 0; waitedMs < patienceMs && !signal.aborted; waitedMs += POLL_MS) {
    const seen = await look()
    if (!seen.ok) return seen
    const { certificate, conditions } = seen.value.status ?? {}
    if (certificate) return ok(Buffer.from(certificate, 'base64').toString('utf8'))
    const no = conditions?.find(({ type }) => type === 'Denied' || type === 'Failed')
    if (no !== undefined)
      return err({ code: 403, reason: no.type, message: `certificate signing request ${no.type.toLowerCase()}: ${no.message ?? ''}` })
    await pause(POLL_MS, signal)
  }
  return err({
    code: 0,
    reason: 'Timeout',
    message: 'nobody signed the certificate signing request: is a signer running in this control plane?',
  })
}
