import { readFile } from 'node:fs/promises'
import { textOf } from '../../shared/base/result.ts'
import { Fault, problem } from '../../shared/model/problem.ts'

/** The token that proves to the app that this shim posts: an Entra token, or a token of the cluster itself. */
export interface AppTokenSource {
  token(signal: AbortSignal): Promise<{ readonly token: string }>
  /** The app refused the current token. The next call of `token` gets another token if there is one. */
  forget(): void
}

/** Three parts in base64url. A text of this form cannot end a header line. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Reads the token of the pod's service account that the kubelet keeps in `file`. It is read at each use: the kubelet writes a new token once 80 % of
 * the old one's life is over, and a copy kept here could outlive the old token.
 */
export function createProjectedToken(file: string): AppTokenSource {
  return {
    async token() {
      const text = await readFile(file, 'utf8').catch((cause: unknown) => {
        throw refused(file, `it cannot be read: ${textOf(cause)}`)
      })
      const token = text.trim()
      if (token === '') throw refused(file, 'it is empty')
      if (!TOKEN.test(token)) throw refused(file, 'what it holds is no token')
      return { token }
    },
    forget() {},
  }
}

function refused(file: string, why: string): Fault {
  const message = `no token in file ${file}: ${why}; mount a projected volume with a serviceAccountToken there, and see what kubelet says of the pod`
  return new Fault('read the token of the service account', problem('INPUT.UNAUTHENTICATED', message))
}
