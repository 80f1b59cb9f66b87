// What people do with OpenAI's client and the AI SDK, against golem serve. It prints one line
// for each thing, for the Go test to compare.
import OpenAI, {APIError, AuthenticationError, NotFoundError} from "openai"
import {createOpenAICompatible} from "@ai-sdk/openai-compatible"
import {generateText, streamText} from "ai"

const client = new OpenAI() // from OPENAI_BASE_URL and OPENAI_API_KEY
const say = (...words) => console.log(...words.map((w) => typeof w === "string" ? w : JSON.stringify(w)))
const user = (content) => [{role: "user", content}]

say("models:", (await client.models.list()).data.map((m) => m.id), (await client.models.retrieve("sum")).id)

const one = await client.chat.completions.create({model: "main", messages: [{role: "system", content: "Be nice."}, ...user("hello")]}).withResponse()
say("chat:", one.data.choices[0].message.content, one.data.choices[0].finish_reason, one.data.usage.total_tokens > 0, one.response.headers.get("x-golem-denied"))

const history = [...user("my name is Ada"), {role: "assistant", content: "hello Ada"}, ...user("remember?")]
say("history:", (await client.chat.completions.create({model: "main", messages: history})).choices[0].message.content)

let text = "", usage
const stream = await client.chat.completions.create({model: "main", messages: user("hello"), stream: true, stream_options: {include_usage: true}})
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta?.content ?? ""
  usage = chunk.usage ?? usage
}
say("stream:", text, usage.total_tokens > 0)
say("stream helper:", (await client.chat.completions.stream({model: "main", messages: user("hello")}).finalMessage()).content)

const response = await client.responses.create({model: "main", input: "hello", instructions: "Be nice."})
say("responses:", response.output_text, response.status)
const kinds = new Set()
for await (const event of await client.responses.create({model: "main", input: "hello", stream: true})) kinds.add(event.type)
say("events:", [...kinds])
say("responses helper:", (await client.responses.stream({model: "main", input: "hello"}).finalResponse()).output[0].content[0].text)

const format = {type: "json_schema", json_schema: {name: "out", strict: true, schema: {type: "object", properties: {total: {type: "integer"}}, required: ["total"], additionalProperties: false}}}
say("schema:", (await client.chat.completions.parse({model: "sum", messages: user('{"n": 2}'), response_format: format})).choices[0].message.parsed)

const fails = async (what, kind, do_) => {
  try {
    await do_()
    say(what, "did not fail")
  } catch (e) {
    say(what, e instanceof kind, e.status, e.code, e.param)
  }
}
await fails("tools:", APIError, () => client.chat.completions.create({model: "main", messages: user("x"), tools: [{type: "function", function: {name: "f", parameters: {}}}]}))
await fails("unknown:", NotFoundError, () => client.chat.completions.create({model: "gpt-5", messages: user("x")}))
await fails("key:", AuthenticationError, () => new OpenAI({apiKey: "wrong"}).models.list())

const model = createOpenAICompatible({name: "golem", baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY, includeUsage: true})("main")
const made = await generateText({model, system: "Be nice.", prompt: "hello"})
say("ai:", made.text, made.finishReason)
let pieces = ""
for await (const piece of streamText({model, prompt: "hello"}).textStream) pieces += piece
say("ai stream:", pieces)
