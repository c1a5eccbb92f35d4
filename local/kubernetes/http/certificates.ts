// The certificate library finds its algorithms through decorators' metadata and refuses to load without this.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

export interface ServingCertificate {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000

/** A new authority and a certificate of it for this machine's loopback names. */
export async function createServingCertificate(nowMs: number): Promise<ServingCertificate> {
  const validity = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + 365 * DAY_MS), signingAlgorithm: ALGORITHM }
  const authorityKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=local-kubernetes-ca',
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=local-kubernetes',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        { type: 'dns', value: 'kubernetes.default.svc' },
      ]),
    ],
  })
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${(exported.match(/.{1,64}/g) ?? []).join('\n')}\n-----END PRIVATE KEY-----\n`
  return { authority: pem(authority), certificate: pem(certificate), key }
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem').trimEnd()}\n`
}
