// the certificate package's container needs it before anything else
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 3600 * 1000

export type Certificates = {
  /** PEM of the authority, for clients to trust. */
  readonly caCertificate: string
  /** PEM certificate and key of the server at 127.0.0.1. */
  readonly certificate: string
  readonly key: string
}

/** A certificate authority made now, and one server certificate for the loopback address. Both live for 30 days. */
export async function createCertificates(): Promise<Certificates> {
  const caKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const serverKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const notBefore = new Date(Date.now() - DAY_MS)
  const notAfter = new Date(Date.now() + 30 * DAY_MS)
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=joiner local azure',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=127.0.0.1',
    issuer: ca.subject,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey)
  return { caCertificate: ca.toString('pem'), certificate: server.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') }
}

function serial(): string {
  return Buffer.from(webcrypto.getRandomValues(new Uint8Array(8)))
    .toString('hex')
    .replace(/^[89a-f]/, '7')
}
