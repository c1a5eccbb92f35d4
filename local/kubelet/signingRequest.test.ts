import 'reflect-metadata'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { Pkcs10CertificateRequest } from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { makeSigningRequest } from './signingRequest.ts'

describe('makeSigningRequest', () => {
  it('asks for the identity of a node, with a key of its own', async () => {
    const made = await makeSigningRequest('joiner-one')
    const request = new Pkcs10CertificateRequest(Buffer.from(made.request, 'base64').toString('utf8'))
    expect(request.subject).toBe('O=system:nodes, CN=system:node:joiner-one')
    expect(await request.verify()).toBe(true)
    const fromKey = createPublicKey(createPrivateKey(made.key)).export({ type: 'spki', format: 'der' })
    expect(Buffer.from(request.publicKey.rawData).equals(fromKey)).toBe(true)
  })
})
