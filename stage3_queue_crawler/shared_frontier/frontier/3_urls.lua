-- ---- URLs ----

local IS_MET = byte('m') -- its state: too deep to become work, so far
local IS_DEFERRED = byte('c') -- to be checked, unless a link turns it into a page

-- That URL of a host becomes work.
local function enqueue(name, item, class)
    local h = host(name)
    if class == FOREIGN and h.class ~= FOREIGN then h.class, h.is_changed = FOREIGN, true end
    h.new[#h.new + 1] = item
end

-- A URL becomes work. `rest`: what its item says after it. Returns its new state.
local function begin_work(url, name, rest, purpose, was_deferred)
    if purpose == 'c' and M.checking == 0 then
        M.deferred = M.deferred + 1
        checks[#checks + 1] = name .. ' ' .. url .. rest
        return 'c'
    end
    if was_deferred and M.checking == 0 then M.deferred = M.deferred - 1 end
    if not was_deferred or M.checking == 0 then
        M.unfinished = M.unfinished + 1
        M.created = M.created + 1
    end
    if purpose == 'f' then M.to_follow = M.to_follow + 1 end
    enqueue(name, url .. rest, purpose)
    return 'q'
end

-- A chunk's URLs were met on a page, and each that wasn't work yet becomes work. `values`, from
-- `first` on, is what is known of them: "q12". What changes is also put into `now`. Returns how
-- many were new, if they are links.
--   kind    "DEPTH REDIRECTS WHAT WHY". WHAT is `l`: links on that page; `d`: the same, but too
--           deep to be followed; `r`: a redirect's target, or roots, which are on no page
--   hosts   "HOST COUNT HOST COUNT...": the first COUNT URLs belong to the first HOST, and so on
local function meet_chunk(chunk, page, values, first, now)
    local depth, redirects, what, why = match(chunk.kind, '^(%d+) (%d+) (%a) (%a+)$')
    local rest = what ~= 'd' and ' ' .. depth .. ' ' .. redirects .. ' 0 0 0 ' .. page .. ' '
                                 .. why or nil
    local purpose, new = sub(why, 1, 1), 0
    local words, name, last = string.gmatch(chunk.hosts, '%S+'), nil, 0
    for i, url in ipairs(chunk.urls) do
        local value = now[url] or values[first + i]
        local state = value and byte(value)
        local was_deferred = state == IS_DEFERRED and purpose == 'f'
        if not value or rest and (state == IS_MET or was_deferred) then
            if not value then
                new = new + 1
                value = 'm' .. M.known + new
            end
            if rest then
                while i > last do name, last = words(), last + tonumber(words()) end
                value = begin_work(url, name, rest, purpose, was_deferred) .. sub(value, 2)
            end
            now[url] = value
        end
        values[first + i] = value
    end
    M.known = M.known + new
    return why == 'fa' and what ~= 'r' and new or 0
end

-- These chunks, with 500 URLs at most, were met on that page. Only roots may occur twice in a
-- chunk. Returns how many links were new.
local function meet(chunks, page)
    local urls = chunks[1] and chunks[1].urls or {}
    if #chunks > 1 then
        urls = {}
        for _, chunk in ipairs(chunks) do append(urls, chunk.urls) end
    end
    if #urls == 0 then return 0 end
    local values, now, changed = call('HMGET', URLS, unpack(urls)), {}, {}
    local new, first = 0, 0
    for _, chunk in ipairs(chunks) do
        new = new + meet_chunk(chunk, page, values, first, now)
        first = first + #chunk.urls
    end
    for url, value in pairs(now) do
        changed[#changed + 1] = url
        changed[#changed + 1] = value
    end
    in_pieces('HSET', URLS, changed, 2)
    if not find(chunks[1].kind, ' r ', 1, true) then -- a redirect's target is on no page
        met[#met + 1] = page .. ' ' .. table.concat(values)
    end
    return new
end

-- A chunk as a single text, a line for each: KIND, HOSTS, URL*.
local function meet_text(text, page)
    local lines = string.gmatch(text, '[^\n]+')
    local chunk = {kind = lines(), hosts = lines(), urls = {}}
    for url in lines do chunk.urls[#chunk.urls + 1] = url end
    meet({chunk}, page)
end

-- ---- Records ----

-- The URL is done: writes its one record, and returns the record's ID. `number`: its page's.
local function finish_url(number, record, new)
    local url, outcome = record[1], record[4]
    local is_dead = outcome == 'error' or outcome == 'failed'
    call('HSET', URLS, url, (is_dead and 'd' or 'f') .. sub(call('HGET', URLS, url), 2))
    M.unfinished = M.unfinished - 1
    if record[15] == 'f' then M.to_follow = M.to_follow - 1 end
    if is_dead then M.dead = M.dead + 1 end
    return call('XADD', RECORDS, '*', 'number', int(number), 'new_links', new, 'url', url,
                'depth', record[2], 'parent', record[3], 'outcome', outcome,
                'status', record[5], 'next_url', record[6], 'error', record[7],
                'content_type', record[8], 'charset', record[9], 'bytes', record[10],
                'links', record[11], 'tries', record[12], 'seconds', record[13],
                'kind', record[14], 'purpose', record[15])
end

-- The last page's number. That of a record that was withdrawn isn't used again.
local function page_number() return M.records + M.retried end

-- Its server wasn't asked for it, so it doesn't count for max_pages. (What is no URL has no
-- host, and so no server.)
local function was_unasked(name, outcome, tries)
    return outcome == 'disallowed' or outcome == 'unclear' and tries == '0' or name == ':0'
end

-- A page is done: it gets the next number, its links are put in, and its record is written.
-- If there are many links, see `put_links_in`.
local function take_page(record, chunks, unasked)
    M.records = M.records + 1
    if not unasked then M.counted = M.counted + 1 end
    local number, links = page_number(), 0
    for _, chunk in ipairs(chunks) do links = links + #chunk.urls end
    if links <= 500 then return finish_url(number, record, meet(chunks, int(number))) end
    for _, chunk in ipairs(chunks) do
        chunk.number = number
        call('RPUSH', LINKS, cjson.encode(chunk))
    end
    call('RPUSH', LINKS, cjson.encode({number = number, record = record}))
end

local ENOUGH = 1000 -- links per call: more would hold up all others
local JAM = 100 -- while more chunks than this wait, no pages are handed out

-- A page with ten thousand links would block Redis for a twentieth of a second. So they
-- wait in `links`, and each call takes some of them; the page's record comes last.
local function put_links_in()
    local count = 0
    while count < ENOUGH do
        local text = call('LPOP', LINKS)
        if not text then return end
        local one = cjson.decode(text)
        if one.urls then
            M.so_far = M.so_far + meet({one}, int(one.number))
            count = count + #one.urls + 20 -- a chunk takes time, too, however short it is
        else
            finish_url(one.number, one.record, M.so_far)
            M.so_far = 0
        end
    end
end

-- The same, for what is to be checked, from the moment when nothing is left to follow.
local function put_checks_in()
    if M.checking == 0 then return end
    local some, changed = call('LPOP', CHECKS, ENOUGH) or {}, {}
    local urls = {}
    for i, text in ipairs(some) do urls[i] = match(text, '^%S+ (%S+)') end
    local values = #urls > 0 and call('HMGET', URLS, unpack(urls)) or {}
    for i, text in ipairs(some) do
        if byte(values[i]) == IS_DEFERRED then -- else it's a page by now
            changed[#changed + 1] = urls[i]
            changed[#changed + 1] = 'q' .. sub(values[i], 2)
            enqueue(match(text, '^(%S+) (.*)$'))
        end
    end
    in_pieces('HSET', URLS, changed, 2)
end

