import { createAuthority, type KeyPair } from './authority.ts'

/** The certificate of a server at the loopback address, and the authority (PEM) that its clients have to trust. */
export type ServingCertificate = KeyPair & { readonly authority: string }

/** Makes a new authority of that name, and a server certificate that it issues. */
export async function createServingCertificate(name: string, dnsNames: readonly string[] = []): Promise<ServingCertificate> {
  const authority = await createAuthority(name)
  const served = await authority.issue({ subject: 'CN=127.0.0.1', usage: 'server', dnsNames })
  return { ...served, authority: authority.certificate }
}
