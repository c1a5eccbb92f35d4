import { get } from 'node:https'
import type { JSONWebKeySet } from 'jose'
import type { LocalAzure } from '../azure/startAzure.ts'

/** The emulated tenant's public keys, read once: this process does not trust its own authority for everything else. */
export function fetchKeys({ jwksUri, caCertificate }: LocalAzure): Promise<JSONWebKeySet> {
  return new Promise((resolve, reject) => {
    get(jwksUri, { ca: caCertificate }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(JSON.parse(text)))
    }).on('error', reject)
  })
}
