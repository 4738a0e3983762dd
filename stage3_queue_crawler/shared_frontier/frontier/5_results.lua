-- ---- Results ----

local results = {} -- each takes the session and its place in ARGV; returns the next place

local gone, dealt_with = {}, {} -- URLs that leave held:S in this call

-- What the session holds under that URL; nil if another session has it by now.
local function held_by(session, url)
    if dealt_with[url] then return nil end
    local value = call('HGET', key('held:' .. session), url)
    return value and read_held(value)
end

local function let_go(session, url)
    local held = held_by(session, url)
    if held then
        gone[#gone + 1] = url
        dealt_with[url] = true
    else
        M.stale = M.stale + 1
    end
    return held
end

-- ARGV[first...] is (SERVER CHUNK)*count: this page's links to hosts of other servers.
local function put_in_outboxes(first, count)
    for i = first, first + 2 * count - 1, 2 do
        local id = call('XADD', key('outbox:' .. ARGV[i]), '*', 'page',
                        int(page_number()), 'chunk', ARGV[i + 1])
        call('HSET', key('outboxes'), ARGV[i], id)
        M.unfinished, M.to_follow = M.unfinished + 1, M.to_follow + 1
        M.created = M.created + 1
    end
end

-- The chunks of links in ARGV[i...], N (KIND HOSTS COUNT URL*COUNT)*N, and the place after.
local function read_chunks(i)
    local chunks, place = {}, i + 1
    for n = 1, tonumber(ARGV[i]) do
        local last = place + 2 + tonumber(ARGV[place + 2])
        chunks[n] = {kind = ARGV[place], hosts = ARGV[place + 1],
                     urls = {unpack(ARGV, place + 3, last)}}
        place = last + 1
    end
    return chunks, place
end

local function record_of(url, held, i)
    local record = {url, held.depth, held.parent, unpack(ARGV, i + 2, i + 11)}
    record[14], record[15] = sub(held.why, 2, 2), sub(held.why, 1, 1)
    return record
end

local function note_places(text)
    if text ~= '' then call('RPUSH', PLACES, int(page_number()) .. '\n' .. text) end
end

-- [done]
-- done URL OUTCOME STATUS NEXT_URL ERROR CONTENT_TYPE CHARSET BYTES LINKS TRIES SECONDS
--      PLACES REACTION  O (SERVER CHUNK)*O  N (KIND HOSTS COUNT URL*COUNT)*N
-- A page is done and its links are in: both or neither. REACTION: `a` if its host has answered,
-- else `-`. O: chunks for other servers.
function results.done(session, i)
    local url, others = ARGV[i + 1], tonumber(ARGV[i + 14])
    local chunks, place = read_chunks(i + 15 + 2 * others)
    local held = let_go(session, url)
    if held then
        if ARGV[i + 13] == 'a' then note_answered(host(held.host)) end
        local unasked = was_unasked(held.host, ARGV[i + 2], ARGV[i + 10])
        leave(held, unasked)
        take_page(record_of(url, held, i), chunks, unasked)
        put_in_outboxes(i + 15, others)
        note_places(ARGV[i + 12])
    end
    return place
end
-- [/done]

-- park URL MILLISECONDS TRIES REFUSALS REACTION: to be tried again, later.
function results.park(session, i)
    local url = ARGV[i + 1]
    local held = let_go(session, url)
    if held then
        if ARGV[i + 5] == 'a' then note_answered(host(held.host)) end
        held.tries, held.refusals = ARGV[i + 3], ARGV[i + 4]
        park(url, held, M.clock + tonumber(ARGV[i + 2]) * 1000)
    end
    return i + 6
end

-- back URL: as if it had never been leased.
function results.back(session, i)
    local held = let_go(session, ARGV[i + 1])
    if held then give_back(ARGV[i + 1], held) end
    return i + 2
end

-- began URL: its request is under way (for an item with `b`).
function results.began(session, i)
    local held = held_by(session, ARGV[i + 1])
    if held and held.flag == 'b' then
        begin_at_pace(host(held.host))
        has_asked(host(held.host))
        held.flag = '-'
        call('HSET', key('held:' .. session), ARGV[i + 1], write_held(held))
    end
    return i + 2
end

-- rules URL MILLISECONDS TEXT: what its host's robots.txt says (for an item with `r`). If
-- there is a delay, the item has `b` from now on, and it, too, has to wait that long.
-- (Or it's given back, and comes out again when it may begin.)
function results.rules(session, i)
    local held = held_by(session, ARGV[i + 1])
    if held and held.flag == 'r' then
        local h = host(held.host)
        if h.gate == ASKING then h.gate = OPEN end -- it may have ended
        h.delay = tonumber(ARGV[i + 2]) * 1000
        has_asked(h)
        held.flag = '-'
        if h.gate == OPEN and goes_step_by_step(h) then h.gate, held.flag = TO_BEGIN, 'b' end
        note_first(h)
        call('HSET', key('held:' .. session), ARGV[i + 1], write_held(held))
        call('HSET', key('rules'), held.host, ARGV[i + 3])
        call('HSET', key('ruled'), held.host, int(M.clock))
    end
    return i + 4
end

-- hold HOST MILLISECONDS: leave it alone for that long. Processes may have URLs of it ahead,
-- so the answers say how many holds there have been.
function results.hold(_, i)
    hold(host(ARGV[i + 1]), tonumber(ARGV[i + 2]))
    M.holds = M.holds + 1
    return i + 3
end

-- The host is held, and if the session holds that URL, and its request has begun, `note` gets
-- to know. Returns what is held.
local function take_refusal(session, i, note)
    local h = host(ARGV[i + 1])
    if gives_ahead(h) then M.holds = M.holds + 1 end
    hold(h, tonumber(ARGV[i + 3]))
    local held = held_by(session, ARGV[i + 2])
    if not held or held.flag ~= '-' then return nil end
    note(h, tonumber(held.epoch))
    return h
end

-- refused HOST URL MILLISECONDS: it has refused this URL, and is to be left alone for that
-- long. If it does nothing else, it ends.
function results.refused(session, i)
    local h = take_refusal(session, i, note_refused)
    if h and M.clock - tonumber(h.pace.refused_since) >= M.refused_timeout then
        end_host(ARGV[i + 1], h, 'its server has refused everything for '
                                 .. int(M.refused_timeout / 1000000) .. ' s')
    end
    return i + 4
end

-- busy HOST URL MILLISECONDS: the same, but it may be broken.
function results.busy(session, i)
    take_refusal(session, i, note_busy)
    return i + 4
end

-- end HOST REASON: it's asked nothing more.
results['end'] = function(_, i)
    end_host(ARGV[i + 1], host(ARGV[i + 1]), ARGV[i + 2])
    return i + 3
end

-- asked HOST: for something that isn't an item.
function results.asked(_, i)
    local h = host(ARGV[i + 1])
    h.next = math.max(h.next, M.clock + delay_of(h))
    h.has_moved, h.is_changed = true, true
    return i + 2
end

