// Brings the brief to each session of opencode, and what the other agents logged to each prompt.
import { spawn } from "node:child_process"

const WORDS = ["vaultmem", "hook"]
const MILLISECONDS = 1500

function said(event, session, cwd) {
  return new Promise((resolve) => {
    const [program, ...rest] = WORDS.map((word) => (word === "{event}" ? event : word))
    let text = ""
    try {
      const child = spawn(program, rest, { cwd, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), MILLISECONDS)
      child.stdout.on("data", (data) => (text += data))
      child.on("error", () => resolve(""))
      child.on("close", () => {
        clearTimeout(timer)
        resolve(text.trim())
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ session_id: session, cwd }))
    } catch {
      resolve("")
    }
  })
}

export const Vaultmem = async ({ directory }) => {
  const briefs = new Map()
  const unread = new Map()
  const brief = (session) => {
    if (!briefs.has(session)) briefs.set(session, said("session-start", session, directory))
    return briefs.get(session)
  }
  return {
    "chat.message": async (input) => {
      const session = input?.sessionID ?? ""
      await brief(session)
      unread.set(session, await said("prompt", session, directory))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID ?? ""
      for (const text of [await brief(session), unread.get(session)]) {
        if (text) output.system.push(text)
      }
    },
    "experimental.session.compacting": async (input, output) => {
      const session = input?.sessionID ?? ""
      const text = await said("compact", session, directory)
      if (text) output.context.push(text)
      briefs.delete(session)
    },
  }
}
