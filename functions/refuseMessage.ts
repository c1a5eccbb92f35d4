import { Fault, type Problem } from '../shared/model/problem.ts'

/** Fails the invocation, so that the host retries the message and finally moves it to the poison queue, where its problem is recorded. */
export function refuseMessage(queue: string, problem: Problem): never {
  throw new Fault(`read a message of queue ${queue}`, problem)
}
