import { createAuthority, type KeyPair } from './authority.ts'

/** What a server at the loopback address shows, and the authority (PEM) its clients have to trust. */
export type ServingCertificate = KeyPair & { readonly authority: string }

/** A new authority of that name, and a server certificate of it. */
export async function createServingCertificate(name: string, dnsNames: readonly string[] = []): Promise<ServingCertificate> {
  const authority = await createAuthority(name)
  const served = await authority.issue({ subject: 'CN=127.0.0.1', usage: 'server', dnsNames })
  return { ...served, authority: authority.certificate }
}
