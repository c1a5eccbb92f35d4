import { readFile } from 'node:fs/promises'
import { Fault, problem } from '../../shared/model/problem.ts'
import { textOf } from '../log.ts'

/** What proves to the app who posts: an Entra token, or one of the cluster itself. */
export interface PosterToken {
  token(signal: AbortSignal): Promise<{ readonly token: string }>
  /** The token at hand was refused: the next call gets another one where there is one. */
  forget(): void
}

/** Three parts in base64url: nothing that could end a header line goes into one. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * The token of the pod's service account that kubelet keeps in `file`. Read at each use: kubelet puts a new one there once 80 % of its life is over,
 * and a copy kept here could outlive it.
 */
export function createProjectedToken(file: string): PosterToken {
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
