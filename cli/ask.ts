import { appAdvice } from './appAnswer.ts'

/** The URL at which a reader asks the app, and the headers that identify the reader. */
export type ReaderAccess = { readonly url: string; readonly headers: { readonly [name: string]: string } }

type Deps = { readonly fetch: typeof fetch; readonly pause: (ms: number) => Promise<void> }
export type Answer = { readonly ok: boolean; readonly text: string }

/** The app answers at once unless many ask. An app of version 0.1 took about a second. */
const MOST_ASKED = 60
/** `429`: the app has too many questions. `202`: an app of version 0.1 is still making the answer. */
const AGAIN: ReadonlySet<number> = new Set([202, 429])

/** Asks until the answer is there. `about` is the path below the URL. */
export async function ask({ url, headers }: ReaderAccess, about: string, { fetch, pause }: Deps): Promise<Answer> {
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    const answer = await fetch(`${url}/${about}`, { headers })
    if (!AGAIN.has(answer.status)) return read(answer)
    await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1))
  }
  return {
    ok: false,
    text: `no answer after ${MOST_ASKED} requests; the app has too many questions or does not work on them: look at its log, or at what npm start says with --verbose`,
  }
}

/** Reads an answer that is final. A refusal that only shows that the app does no work comes back as advice. */
export async function read(answer: Response): Promise<Answer> {
  const text = (await answer.text()).trimEnd()
  return { ok: answer.ok, text: answer.ok ? text : (appAdvice({ status: answer.status, text }) ?? text) }
}
