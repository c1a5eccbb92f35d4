// The dependency container of @peculiar/x509 needs this import before all others.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { pem } from './pem.ts'

/** A certificate and its private key (PKCS #8), both PEM. */
export type KeyPair = { readonly certificate: string; readonly key: string }

export type CertificateRequest = {
  /** Distinguished name, such as `O=system:masters, CN=admin`. */
  readonly subject: string
  readonly usage: 'server' | 'client'
  /** Names of a server in addition to the loopback names. */
  readonly dnsNames?: readonly string[]
}

export interface Authority extends KeyPair {
  issue(request: CertificateRequest): Promise<KeyPair>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 3600 * 1000
/** Longer than any stack lives, but too short to rely on. */
const LIFETIME_DAYS = 30

/** Makes a certificate authority. The authority and the certificates that it issues are valid for 30 days. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await newKeys()
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + LIFETIME_DAYS * DAY_MS) }
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serial(),
    name: `CN=${name}`,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })

  async function issue({ subject, usage, dnsNames = [] }: CertificateRequest): Promise<KeyPair> {
    const pair = await newKeys()
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity,
      serialNumber: serial(),
      subject,
      issuer: own.subject,
      signingAlgorithm: ALGORITHM,
      publicKey: pair.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth]),
        ...(usage === 'server' ? [loopbackNames(dnsNames)] : []),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ],
    })
    return printed(certificate, pair)
  }

  return { ...(await printed(own, keys)), issue }
}

function loopbackNames(dnsNames: readonly string[]): x509.SubjectAlternativeNameExtension {
  const dns = ['localhost', ...dnsNames].map((value) => ({ type: 'dns', value }) as const)
  return new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }, ...dns])
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function printed(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return { certificate: `${certificate.toString('pem').trimEnd()}\n`, key: pem('PRIVATE KEY', key) }
}

/** A positive serial number, as the standard asks. */
function serial(): string {
  return Buffer.from(webcrypto.getRandomValues(new Uint8Array(8)))
    .toString('hex')
    .replace(/^[89a-f]/, '7')
}
