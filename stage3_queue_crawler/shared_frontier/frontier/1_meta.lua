-- A crawl's frontier, kept in Redis and shared by as many processes as want to take part.
--
-- Redis runs a script from its first line to its last without doing anything else. So each
-- call below is one step from one consistent state to the next, no matter which processes
-- call or die meanwhile. Page 29 of the book.
--
--   EVALSHA sha 1 {NAME}:meta OPERATION arguments...
--
-- What a crawl keeps there. All its keys begin with "{NAME}:", so that a Redis Cluster
-- keeps them in one place.
--
--   meta        hash    settings, state, clock, counters
--   urls        hash    every URL ever met -> its state, and its number: "q12"
--   met         list    "PAGE q12f13m14": these URLs were met on that page. (The letters were
--               their states at that time, and only separate the numbers.)
--   queue:H     list    what waits for host H: "URL DEPTH REDIRECTS TRIES REFUSALS LOST
--               PARENT WHY" (a zset, if the order is `priority`). WHY: a letter for the
--               purpose (`f`: follow, `c`: check, `x`: check on a foreign host), one for the
--               kind of link that it was met as, and `p` if a private address is no objection
--   checks      list    to be checked when nothing is left to follow: "H ITEM"
--   hosts       hash    H -> "NEXT_START DELAY BUSY HELD_UNTIL GATE CLASS PACED ANSWERS
--               BEGAN". If PACED is `p` (else `-`), it has refused, and more follows: "EPOCH
--               WINDOW RATE REFUSED_AT MEASURES REFUSED_SINCE" (0: no limit, and has answered
--               since). See "The pace", below
--   ended       hash    hosts that are asked nothing more -> why
--   ready       zset    hosts that have work and room, by the time they are due
--   ready_abroad        the same, for foreign hosts
--   parked      zset    put off: "H ITEM", by the time
--   suspects    zset    the same, by the time to look at it: may have killed processes
--   given_up    hash    URL that has killed processes -> "RECORD H URL DEPTH ...": its
--                       record's ID in the stream, and itself, as in suspects
--   rules       hash    H -> what its robots.txt says to us
--   ruled       hash    H -> when it said that
--   sessions    zset    processes taking part, by the time at which their lease ends
--   session:S   hash    one of these: seq, name, done
--   held:S      hash    what it holds: URL -> "SEQ H FLAG EPOCH", and the rest of its item;
--               then, if its host has ended, why
--   records     stream  one for each URL that is done, with its page's number, which
--                       PAGE and PARENT refer to
--   links       list    of pages with very many: those still to be put in
--   places      list    if fragments are checked: "PAGE", and in more lines what is known
--               of its ids, and the fragments of its links; see shared_fragments.h
--   outbox:K    stream  links to hosts that server K has (see "Several servers", below)
--   outboxes    hash    server -> the last entry its outbox has ever had; "sent:SERVER" ->
--                       the last that arrived there and was removed
--   inbox       hash    server -> how much of its outbox has come in
--   history     stream  which processes came, left and died; the last thousand or so
--
-- What is true between any two calls:
--   1. A URL whose state is q is in exactly one of queue:*, parked, suspects, held:*, links.
--      One whose state is c is in checks; others there count no more.
--   2. meta.unfinished is the number of these, plus that of the entries in outboxes; of
--      those with state c only if meta.checking is 1. Until then, meta.deferred has these.
--      meta.to_follow is the number of those to be followed, and of entries in outboxes.
--   3. A URL whose state is f or d has exactly one record; no other has any.
--   4. A host's BUSY is the number of its URLs that are held.
--   5. A host is in `ready` if and only if its queue isn't empty and it has room.
--   6. Each session has its session:S and perhaps a held:S, and there are no others.
--   7. meta.begun equals meta.ended: each call that began has ended, see `begin_call`.
--   8. A URL that max_lost processes have died with is in parked, in suspects or held, and
--      in suspects is no other. Only meta.trial holds one, and it holds nothing else.
--   9. A URL is in given_up if and only if its record says so, and meta.given_up is their
--      number.
--  10. The URLs' numbers are 1, 2, ... meta.known.
--  11. A host's GATE is `e` if and only if it's in ended.
--
-- Times are microseconds of the crawl's own clock: see `tick`.

local FORMAT = '5'

local PREFIX = string.sub(KEYS[1], 1, -5) -- "{NAME}:"
local function key(name) return PREFIX .. name end
local META, URLS, HOSTS, READY = KEYS[1], key('urls'), key('hosts'), key('ready')
local PARKED, SESSIONS, RECORDS = key('parked'), key('sessions'), key('records')
local MET, CHECKS, PLACES = key('met'), key('checks'), key('places')
local READY_FOREIGN = key('ready_abroad') -- the name that crawls under way know
local LINKS, HISTORY = key('links'), key('history')
local SUSPECTS, GIVEN_UP, ENDED_HOSTS = key('suspects'), key('given_up'), key('ended')
local call, match, find, sub = redis.call, string.match, string.find, string.sub
local byte, format = string.byte, string.format

-- Lua itself would write a large number as 1e+15. (Many are 0, which needs no printf.)
local function int(number) return number == 0 and '0' or format('%.0f', number) end

local function append(list, more)
    for _, value in ipairs(more) do list[#list + 1] = value end
    return list
end

-- unpack() is limited to a few thousand values.
local function in_pieces(command, name, values, per)
    local most = 1000 - 1000 % per
    for i = 1, #values, most do
        call(command, name, unpack(values, i, math.min(i + most - 1, #values)))
    end
end

-- ---- meta, and the clock ----

local SETTINGS = {'lease', 'delay', 'foreign_delay', 'max_per_host', 'max_pages', 'max_lost',
                  'servers', 'rules', 'refused_timeout'}
local COUNTERS = {'clock', 'seen', 'unfinished', 'created', 'known', 'records', 'counted',
                  'dead', 'held', 'lost', 'last_lost', 'given_up', 'retried', 'stale', 'new_session',
                  'arrivals', 'so_far', 'over', 'holds', 'to_follow', 'deferred',
                  'checking', 'ended'}
local M, before = {}, {} -- what meta says; what it said before this call

local function read_meta()
    local all = call('HGETALL', META) -- one pass, where HMGET would search for each
    for i = 1, #all, 2 do M[all[i]] = all[i + 1] end
    for _, name in ipairs(SETTINGS) do M[name] = tonumber(M[name]) end
    for _, name in ipairs(COUNTERS) do
        M[name] = tonumber(M[name])
        before[name] = M[name]
    end
    M.begun = tonumber(M.begun or 0)
    return M.format
end

-- Redis logs what a call changes as one transaction, and if it's killed in the middle of
-- that, it ignores the partial one when it restarts. But (as of 7.0) it leaves that part in
-- its file, and the next restart applies it. That can't be repaired, but it can be detected:
-- `begun` grows by one with the first write of a call, and the last write sets `ended` to
-- what `begun` was then. A call that is applied twice has increased `begun` once more.
local function begin_call()
    -- If memory is full, Redis refuses a call's first write, unless that is a deletion. These
    -- two make room, so they begin with one.
    if ARGV[1] == 'close' or ARGV[1] == 'sent' then call('HDEL', META, '') end
    M.begun = call('HINCRBY', META, 'begun', 1)
end

local function find_half()
    if M.begun == (M.ended or 0) then return nil end
    return redis.error_reply('HALF ' .. META .. ' has a call of which only a part was done')
end

local function write_meta()
    local changed = {'state', M.state, 'trial', M.trial}
    M.ended = M.begun
    for _, name in ipairs(COUNTERS) do
        if M[name] ~= before[name] then
            changed[#changed + 1] = name
            changed[#changed + 1] = int(M[name])
        end
    end
    call('HSET', META, unpack(changed))
end

-- [tick]
-- The crawl has its own clock. It follows Redis's, but never goes backwards, and of any
-- time without calls it counts only a third of a lease. So no lease ends merely because
-- Redis was away, or all processes were.
local function tick()
    local time = call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    M.clock = M.clock + math.max(0, math.min(now - M.seen, M.lease / 3))
    M.seen = now
end
-- [/tick]

-- Nothing is left to follow: what waited for that becomes work. See `put_checks_in`.
local function begin_to_check()
    M.checking = 1
    M.unfinished, M.created = M.unfinished + M.deferred, M.created + M.deferred
    M.deferred = 0
end

local function note_state()
    if M.to_follow == 0 and M.servers == 1 and M.checking == 0 then begin_to_check() end
    if (M.checking == 1 and M.unfinished or M.to_follow) == 0 then
        -- Another server may still have links for us: see `finish`.
        M.state = (M.servers == 1 or M.over == 1) and 'complete' or 'idle'
    elseif M.max_pages > 0 and M.counted >= M.max_pages
           and call('EXISTS', LINKS) == 0 then -- else records are still to come
        M.state = 'max_pages'
    else
        M.state = 'running'
    end
end

local function summary()
    return {M.state, int(M.unfinished + M.deferred), int(M.records), int(M.known), int(M.dead),
            int(M.held), int(M.given_up), int(M.holds)}
end

local function note(what, session, count)
    local name = call('HGET', key('session:' .. session), 'name') or ''
    call('XADD', HISTORY, 'MAXLEN', '~', 1000, '*', 'what', what, 'session', session,
         'name', name, 'urls', count)
end

-- For each call Redis runs this from its first line, and makes all functions anew. Lua searches
-- for each variable that such a function shares with the code around it, but not for those
-- from outside a function around both. So the rest is in one: that saves a fifth of a call that
-- does nothing.
local function run()

