import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { pem } from '../certificates/pem.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Returns a new private key and a request to certify it for the node. The request is base64 of PEM, as Kubernetes expects it. */
export async function makeSigningRequest(nodeName: string): Promise<{ readonly key: string; readonly request: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: `O=system:nodes, CN=system:node:${nodeName}`, keys, signingAlgorithm: ALGORITHM },
    webcrypto,
  )
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return { key: pem('PRIVATE KEY', key), request: Buffer.from(request.toString('pem')).toString('base64') }
}
