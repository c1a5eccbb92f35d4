import { get } from 'node:https'
import type { JSONWebKeySet } from 'jose'
import type { LocalAzure } from '../azure/startAzure.ts'

/** Returns the public keys of the emulated tenant. They are read once with its authority, which this process does not trust for anything else. */
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
