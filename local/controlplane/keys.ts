import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Authority, createAuthority } from '../certificates/authority.ts'

/** The clients of the API server: components under the names that Kubernetes gives them, and an administrator. */
export const CLIENTS = ['admin', 'kube-controller-manager', 'kube-scheduler'] as const
export type Client = (typeof CLIENTS)[number]

const SUBJECTS: Readonly<Record<Client, string>> = {
  admin: 'O=system:masters, CN=joiner-admin',
  'kube-controller-manager': 'CN=system:kube-controller-manager',
  'kube-scheduler': 'CN=system:kube-scheduler',
}

/** Certificates and keys of one control plane, as files. */
export type Keys = {
  /** PEM. */
  readonly caCertificate: string
  file(name: string): string
}

/** Makes the keys and certificates of one control plane in `folder`. `serverNames` are more names of the API server. */
export async function createKeys(folder: string, serverNames: readonly string[] = []): Promise<Keys> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = (name: string): string => join(folder, name)
  const write = (name: string, text: string): void => writeFileSync(file(name), text, { mode: 0o600 })
  const authority = await createAuthority('joiner-control-plane')
  write('ca.crt', authority.certificate)
  write('ca.key', authority.key)
  const server = await authority.issue({
    subject: 'CN=kube-apiserver',
    usage: 'server',
    dnsNames: ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', ...serverNames],
  })
  write('server.crt', server.certificate)
  write('server.key', server.key)
  for (const client of CLIENTS) await issueClient(authority, client, write)
  const accounts = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  })
  write('accounts.pub', accounts.publicKey)
  write('accounts.key', accounts.privateKey)
  return { caCertificate: authority.certificate, file }
}

async function issueClient(authority: Authority, client: Client, write: (name: string, text: string) => void): Promise<void> {
  const issued = await authority.issue({ subject: SUBJECTS[client], usage: 'client' })
  write(`${client}.crt`, issued.certificate)
  write(`${client}.key`, issued.key)
}
